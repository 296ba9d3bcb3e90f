#include "engine/verifier.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>

#include "base/clock.h"
#include "base/machine.h"
#include "base/text/text.h"
#include "engine/program/model_runtime.h"
#include "verify/inputs.h"
#include "verify/ranks.h"
#include "verify/reference.h"

namespace hone::engine {
namespace {

using model::ElementType;

/// Messages of ONNX Runtime contain whole signatures of its functions.
constexpr std::size_t kMaxReasonLength = 200;

/// Layout of the raw bytes of a result.
struct ResultType {
  model::TensorType type;  ///< with the shape if it is static
  bool anySize = false;    ///< the number of elements follows from the file size
  bool scalar = false;     ///< the runtime widens scalars to 32 or 64 bits
};

std::optional<ResultType> resultTypeFrom(std::string_view text) {
  if (auto type = model::tensorTypeFromMlir(text)) {
    return ResultType{std::move(*type)};
  }
  const std::string_view inside = model::insideTensor(text);
  const std::string last = inside.empty() ? std::string(text) : splitAt(inside, 'x').back();
  const auto element =
      last == "index" ? std::optional(ElementType::i64) : model::elementTypeFrom(last);
  if (!element) {
    return std::nullopt;
  }
  return ResultType{{{}, *element}, true, inside.empty()};
}

/// Returns the result types, or nullopt if there are none or one cannot be read back.
std::optional<std::vector<ResultType>> resultTypes(const Program& program) {
  std::vector<ResultType> types;
  for (const std::string& text : program.resultTypes) {
    auto type = resultTypeFrom(text);
    if (!type) {
      return std::nullopt;
    }
    types.push_back(std::move(*type));
  }
  return types.empty() ? std::nullopt : std::optional(std::move(types));
}

/// Reads a result; flattens it if its shape is dynamic.
Result<verify::Tensor> readResult(const std::filesystem::path& file, const ResultType& result) {
  model::TensorType type = result.type;
  if (result.anySize) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    if (error) {
      return machineError("cannot read {}: {}", file.string(), error.message());
    }
    if (result.scalar) {
      const bool wide = bytes == sizeof(std::int64_t);
      type.element = isFloat(type.element) ? (wide ? ElementType::f64 : ElementType::f32)
                                           : (wide ? ElementType::i64 : ElementType::i32);
    }
    type.shape = {static_cast<std::int64_t>(bytes / model::byteWidth(type.element))};
  }
  return verify::readTensor(file, type);
}

}  // namespace

bool canBeCompared(const Program& program) { return resultTypes(program).has_value(); }

std::string_view nameOf(Expectation expectation) {
  switch (expectation) {
    case Expectation::nothing:
      return "nothing";
    case Expectation::reference:
      return "reference";
    case Expectation::baseline:
      return "baseline";
  }
  return "";
}

Result<void> Verifier::expectReference() {
  const std::int64_t startNs = ownCpuNs();
  const model::Problem& problem = *program_.problem;
  verify::Tensor reference = HONE_TRY(verify::computeReference(problem, inputs_.tensors));
  referenceCpuNs_ += ownCpuNs() - startNs;
  // The inputs come from makeInputs: with user inputs there is no reference.
  expected_.push_back(
      {std::move(reference), verify::toleranceFor(problem, verify::valuesFor(problem))});
  expectation_ = Expectation::reference;
  return {};
}

std::string Verifier::resultName(std::size_t number) const {
  return number < program_.resultNames.size()
             ? fmt::format("output {}", program_.resultNames[number])
             : fmt::format("result {}", number);
}

Result<std::string> Verifier::findNan(const std::vector<verify::Tensor>& results) const {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!model::isFloat(results[i].type.element)) {
      continue;
    }
    const auto values = verify::toNumbers<double>(results[i]);
    const auto count =
        std::ranges::count_if(values, [](double value) { return std::isnan(value); });
    if (count > 0) {
      return fmt::format(
          "{}: {} of {} values are NaN with these inputs; use --input to provide "
          "others",
          resultName(i), count, values.size());
    }
  }
  return std::string();
}

Result<std::string> Verifier::expectModel(const std::vector<verify::Tensor>& results) {
  const auto runtime = ModelRuntime::find(runner_);
  if (!runtime) {
    return fmt::format("not compared with ONNX Runtime: it is not installed; run {}",
                       installCommand("models"));
  }
  auto outputs = runtime->run(program_, inputs_, folder_);
  if (!outputs && outputs.error().fault != Fault::user) {
    return std::unexpected(outputs.error());
  }
  if (!outputs || outputs->size() != results.size()) {
    return fmt::format("not compared with ONNX Runtime: {}",
                       outputs ? "another number of outputs"
                               : shortened(outputs.error().message, kMaxReasonLength));
  }
  std::vector<Expected> expected;
  for (std::size_t i = 0; i < results.size(); ++i) {
    verify::Tensor& output = (*outputs)[i];
    verify::Tensor result = results[i];
    if (result.type.count() != output.type.count() || result.type.element != output.type.element) {
      return fmt::format("differs from ONNX Runtime: {}: expected {}, got {}", resultName(i),
                         output.type.text(), result.type.text());
    }
    result.type.shape = output.type.shape;
    const auto tolerance = HONE_TRY(verify::toleranceBetween(result, output));
    if (!tolerance) {
      const double scale = verify::largestMagnitude(output);
      const auto mismatch = HONE_TRY(
          verify::compare(result, output, verify::agreementTolerance(output.type.element, scale)));
      return fmt::format("differs from ONNX Runtime: {}: {}", resultName(i),
                         mismatch ? mismatch->describe() : "not comparable");
    }
    expected.push_back({std::move(output), *tolerance});
    Expected& last = expected.back();
    if (verify::isClassification(last.tensor)) {
      // The tolerance may be wide enough to change the best class.
      const double scale = verify::largestMagnitude(last.tensor);
      const double gap = 2 * verify::toleranceFor(last.tensor.type.element, scale).absolute;
      const bool agrees = !verify::compareRanks(result, last.tensor, gap);
      last.rankGap = agrees ? std::optional(gap) : std::nullopt;
    }
  }
  expected_ = std::move(expected);
  expectation_ = Expectation::reference;
  return std::string();
}

void Verifier::expectResults(std::vector<verify::Tensor> results) {
  for (verify::Tensor& result : results) {
    const double scale = verify::largestMagnitude(result);
    const verify::Tolerance tolerance = verify::toleranceFor(result.type.element, scale);
    expected_.push_back({std::move(result), tolerance});
  }
  expectation_ = Expectation::baseline;
}

Result<std::string> Verifier::compareResults(std::vector<verify::Tensor> results) const {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& [expected, tolerance, rankGap] = expected_[i];
    std::string wrong;
    if (results[i].type.count() != expected.type.count()) {
      wrong = fmt::format("expected {} elements, got {}", expected.type.count(),
                          results[i].type.count());
    } else {
      results[i].type.shape = expected.type.shape;  // may have been flattened
      const auto mismatch = HONE_TRY(verify::compare(results[i], expected, tolerance));
      wrong = mismatch ? mismatch->describe() : "";
      if (const auto ranks = mismatch || !rankGap
                                 ? std::nullopt
                                 : verify::compareRanks(results[i], expected, *rankGap)) {
        wrong = ranks->describe();
      }
    }
    if (!wrong.empty()) {
      return results.size() == 1 ? wrong : fmt::format("{}: {}", resultName(i), wrong);
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
  const iree::CallReport report = HONE_TRY(runner_.run(call, files));
  Verification verification{model::Outcome::ok, expectation_, report.message, report.diagnostics};
  if (report.status != iree::CallReport::Status::ok) {
    verification.outcome = report.status == iree::CallReport::Status::timedOut
                               ? model::Outcome::runTimeout
                               : model::Outcome::runFailed;
    return verification;
  }
  if (!types) {
    return verification;
  }
  if (expected_.empty() && program_.problem && inputs_.generated) {
    HONE_CHECK(expectReference());
  }
  std::vector<verify::Tensor> results;
  for (std::size_t i = 0; i < types->size(); ++i) {
    results.push_back(HONE_TRY(readResult(files[i], (*types)[i])));
  }
  if (expected_.empty() && !program_.model.empty()) {
    if (const std::string nan = HONE_TRY(findNan(results)); !nan.empty()) {
      verification.outcome = model::Outcome::runFailed;
      verification.message = nan;
      return verification;
    }
    verification.message = HONE_TRY(expectModel(results));
    if (expectation_ == Expectation::reference) {
      verification.expectation = expectation_;
      return verification;
    }
  }
  if (expected_.empty()) {
    expectResults(std::move(results));
    return verification;
  }
  verification.expectation = expectation_;
  verification.message = HONE_TRY(compareResults(std::move(results)));
  if (!verification.message.empty()) {
    verification.outcome = model::Outcome::mismatch;
  }
  return verification;
}

}  // namespace hone::engine
