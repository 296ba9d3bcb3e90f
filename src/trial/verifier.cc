#include "trial/verifier.h"

#include "base/clock.h"
#include "verify/inputs.h"
#include "verify/reference.h"

namespace hone::trial {
namespace {

/// The static types of the results; nothing when one is not a static tensor, whose raw bytes
/// cannot be read back.
std::optional<std::vector<model::TensorType>> resultTypes(const Program& program) {
  std::vector<model::TensorType> types;
  for (const std::string& text : program.resultTypes) {
    auto type = model::tensorTypeFromMlir(text);
    if (!type) {
      return std::nullopt;
    }
    types.push_back(std::move(*type));
  }
  return types;
}

}  // namespace

std::string_view nameOf(Against against) {
  switch (against) {
    case Against::nothing:
      return "nothing";
    case Against::reference:
      return "reference";
    case Against::baseline:
      return "baseline";
  }
  return "";
}

Result<void> Verifier::expectReference() {
  const std::int64_t startNs = ownCpuNs();
  const model::Problem& problem = *program_.problem;
  verify::Tensor reference = HONE_TRY(verify::computeReference(problem, inputs_.tensors));
  referenceCpuNs_ += ownCpuNs() - startNs;
  // The inputs are those of makeInputs: where the user gave any there is no reference.
  const bool exactInputs = verify::valuesFor(problem) == verify::Values::smallIntegers;
  expected_.push_back({std::move(reference), verify::toleranceFor(problem, exactInputs)});
  against_ = Against::reference;
  return {};
}

void Verifier::expectResults(std::vector<verify::Tensor> results) {
  for (verify::Tensor& result : results) {
    const double scale = verify::largestMagnitude(result);
    const verify::Tolerance tolerance = verify::toleranceFor(result.type.element, scale);
    expected_.push_back({std::move(result), tolerance});
  }
  against_ = Against::baseline;
}

Result<std::string> Verifier::compareResults(const std::vector<verify::Tensor>& results) const {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto mismatch =
        HONE_TRY(verify::compare(results[i], expected_[i].tensor, expected_[i].tolerance));
    if (mismatch) {
      return results.size() == 1 ? mismatch->describe()
                                 : fmt::format("result {}: {}", i, mismatch->describe());
    }
  }
  return std::string();
}

Result<Verification> Verifier::check(const iree::Call& call) {
  const auto types = resultTypes(program_);
  std::vector<std::filesystem::path> files;
  for (std::size_t i = 0; types && i < types->size(); ++i) {
    files.push_back(folder_ / fmt::format("result{}.bin", i));
  }
  const iree::CallReport report = HONE_TRY(executor_.run(call, files));
  Verification verification{model::Outcome::ok, against_, report.message, report.diagnostics};
  if (report.status != iree::CallReport::Status::ok) {
    verification.outcome = report.status == iree::CallReport::Status::timedOut
                               ? model::Outcome::runTimeout
                               : model::Outcome::runFailed;
    return verification;
  }
  if (!types) {
    return verification;
  }
  if (expected_.empty() && program_.problem && !inputs_.tensors.empty()) {
    HONE_CHECK(expectReference());
  }
  std::vector<verify::Tensor> results;
  for (std::size_t i = 0; i < types->size(); ++i) {
    results.push_back(HONE_TRY(verify::readTensor(files[i], (*types)[i])));
  }
  if (expected_.empty()) {
    expectResults(std::move(results));
    return verification;
  }
  verification.against = against_;
  verification.message = HONE_TRY(compareResults(results));
  if (!verification.message.empty()) {
    verification.outcome = model::Outcome::mismatch;
  }
  return verification;
}

}  // namespace hone::trial
