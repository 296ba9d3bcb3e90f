#include "kernel/turns/optimized.h"

#include "kernel/propose/analysis/gpu_estimate.h"
#include "kernel/turns/decide/estimated_order.h"

namespace hone::kernel {
namespace {

model::KernelComparison toRecord(const stats::Comparison& comparison) {
  return {.verdict = comparison.verdict,
          .speedup = comparison.speedup,
          .noise = comparison.floor,
          .rounds = static_cast<std::int64_t>(comparison.rounds)};
}

model::KernelConfirmation toRecord(const Confirmation& confirmed) {
  model::KernelConfirmation record{.original = toRecord(confirmed.original),
                                   .pytorch = std::nullopt,
                                   .originalNs = confirmed.originalNs,
                                   .bestNs = confirmed.bestNs,
                                   .pytorchNs = std::nullopt};
  if (confirmed.pytorch) {
    record.pytorch = toRecord(*confirmed.pytorch);
    record.pytorchNs = confirmed.pytorchNs;
  }
  return record;
}

}  // namespace

std::string_view nameOf(Stop stop) {
  switch (stop) {
    case Stop::target:
      return "target";
    case Stop::turns:
      return "turns";
    case Stop::plateau:
      return "plateau";
    case Stop::budget:
      return "budget";
    case Stop::noIdeas:
      return "no_ideas";
    case Stop::failures:
      return "failures";
    case Stop::proposer:
      return "proposer";
  }
  return "";
}

const JudgedProposal* Optimized::find(const std::string& sourceKey) const {
  for (const JudgedProposal& one : tried) {
    if (one.proposal.source.key() == sourceKey) {
      return &one;
    }
  }
  return nullptr;
}

std::optional<double> Optimized::estimatedCost(const std::string& sourceKey) const {
  const JudgedProposal* one = find(sourceKey);
  return one == nullptr || !one->judged.ok()
             ? std::nullopt
             : relativeGpuCost(one->judged.facts, tried.front().judged.facts);
}

bool Optimized::isPromising() const { return !timed && best.source.key() != original.key(); }

bool Optimized::improved() const {
  return confirmed && confirmed->original.verdict == stats::Verdict::improved;
}

double Optimized::reportedSpeedup() const {
  if (!confirmed) {
    return originalOverPyTorch.value_or(1);
  }
  return (confirmed->pytorch ? *confirmed->pytorch : confirmed->original).speedup.estimate;
}

std::string explainUntimed(const Optimized& optimized) {
  if (optimized.isPromising()) {
    return "not timed: no GPU was found. The order is an estimate, not a measurement";
  }
  if (orderByEstimate(optimized.tried).empty()) {
    return "not timed: no GPU was found, and the work of the kernel depends on data, so that it "
           "cannot be estimated; nothing written";
  }
  return "not timed: no GPU was found, and no candidate is estimated to be faster; nothing written";
}

model::KernelOutcome toKernelOutcome(const Optimized& optimized) {
  model::KernelOutcome outcome;
  outcome.kernel = optimized.original.name;
  outcome.language = nameOf(optimized.original.language);
  outcome.stopped = nameOf(optimized.stop);
  outcome.why = optimized.why;
  outcome.note = optimized.note;
  outcome.improved = optimized.improved();
  outcome.best = optimized.best.title;
  outcome.techniques = optimized.best.techniques;
  outcome.flags = optimized.best.source.flags;
  if (optimized.confirmed) {
    outcome.confirmed = toRecord(*optimized.confirmed);
  }
  outcome.originalOverPyTorch = optimized.originalOverPyTorch;
  outcome.candidates = static_cast<std::int64_t>(optimized.candidates);
  outcome.failed = static_cast<std::int64_t>(optimized.failed);
  for (const TurnRecord& turn : optimized.turns) {
    outcome.turns.push_back(
        {.turn = static_cast<std::int64_t>(turn.turn),
         .proposals = static_cast<std::int64_t>(turn.proposals.size()),
         .bestSpeedup = optimized.timed ? std::optional(turn.bestSpeedup) : std::nullopt,
         .improvement = optimized.timed ? std::optional(turn.improvement) : std::nullopt,
         .complaint = turn.complaint});
  }
  outcome.spent = optimized.spent;
  outcome.cost = optimized.cost;
  return outcome;
}

}  // namespace hone::kernel
