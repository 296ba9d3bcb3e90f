#include "app/tune/tune_sizes.h"

#include "engine/plan/experiment.h"

namespace hone::app {
namespace {

/// Rounds per size: enough to detect a regression.
constexpr std::int64_t kSizeRounds = 10;

/// Measures one size.
Result<model::SizeProof> proveSize(const engine::TrialContext& bench, Toolchain& toolchain,
                                   const engine::ProgramSource& source,
                                   const std::filesystem::path& folder, const TunedProgram& tuned) {
  tune::WholeProgram whole = tuned.whole;
  whole.program = HONE_TRY(engine::loadProgram(toolchain.compiler, source));
  tune::InputSets sets =
      HONE_TRY(tune::makeInputSets(whole.program, source.inputs, whole.seed, folder));
  whole.inputs = std::move(sets.first);
  whole.otherInputs = std::move(sets.other);
  model::SizeProof proof{.sizes = whole.program.describeDims()};
  engine::Plan plan = planFor(whole, fmt::format("sizes {}", proof.sizes));
  plan.selects = false;
  plan.rounds = kSizeRounds;
  plan.candidates.push_back({0, tuned.result.proof->config});
  const auto findings = HONE_TRY(engine::Experiment(bench).run(plan));
  if (findings.size() < 2 || findings[1].outcome != model::Outcome::ok) {
    proof.error = findings.size() < 2 ? "not tried" : findings[1].message;
    return proof;
  }
  proof.defaultNs = findings[0].timeNs;
  proof.tunedNs = findings[1].timeNs;
  if (findings[1].comparison) {
    proof.speedup = findings[1].comparison->speedup;
    proof.verdict = findings[1].comparison->verdict;
  }
  return proof;
}

}  // namespace

Result<void> proveOtherSizes(const engine::TrialContext& bench, Toolchain& toolchain,
                             const CallOptions& call, const std::filesystem::path& folder,
                             TunedProgram& tuned) {
  if (!tuned.result.proof) {
    return {};
  }
  for (const iree::DimensionSizes& sizes : HONE_TRY(call.otherSizes())) {
    engine::ProgramSource source =
        HONE_TRY(call.sourceFor(tuned.whole.program.file, tuned.whole.flags));
    for (const auto& [name, size] : sizes) {
      source.dims[name] = size;
    }
    const auto part = folder / fmt::format("sizes{}", tuned.otherSizes.size());
    auto proof = proveSize(bench, toolchain, source, part, tuned);
    if (!proof && proof.error().isFatal()) {
      return std::unexpected(proof.error());
    }
    tuned.otherSizes.push_back(
        proof ? *proof : model::SizeProof{.sizes = "", .error = proof.error().message});
  }
  return {};
}

}  // namespace hone::app
