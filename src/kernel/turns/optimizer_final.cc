#include "engine/machine_lock.h"
#include "engine/rounds/round_policies.h"
#include "kernel/turns/optimizer.h"
#include "stats/summary.h"

// The end of an optimization: the winner confirmed, and the result.

namespace hone::kernel {
namespace {

/// An open verdict may take this many times the rounds.
constexpr std::int64_t kMostExtension = 3;
/// Rounds of the confirmation that are taken even when the budget is used up.
constexpr std::int64_t kFewestRounds = 6;
constexpr const char* kTwin = "the original, again";

model::KernelComparison recordOf(const stats::Comparison& comparison) {
  return {.verdict = comparison.verdict,
          .speedup = comparison.speedup,
          .noise = comparison.floor,
          .rounds = static_cast<std::int64_t>(comparison.rounds)};
}

model::KernelConfirmation recordOf(const Confirmation& confirmed) {
  model::KernelConfirmation record{.original = recordOf(confirmed.original),
                                   .pytorch = std::nullopt,
                                   .originalNs = confirmed.originalNs,
                                   .bestNs = confirmed.bestNs,
                                   .pytorchNs = std::nullopt};
  if (confirmed.pytorch) {
    record.pytorch = recordOf(*confirmed.pytorch);
    record.pytorchNs = confirmed.pytorchNs;
  }
  return record;
}

}  // namespace

Result<std::optional<Confirmation>> Optimizer::confirm() {
  if (best_.entry == &original()) {
    return std::nullopt;
  }
  const Source& source = original().source();
  const bool withPyTorch = originalOverPyTorch_.has_value();
  std::vector<engine::Participant> participants = {
      trials_.participant(original().trial, source),
      trials_.participant(HONE_TRY(trials_.companion(kTwin)), source),
      trials_.participant(best_.entry->trial, best_.entry->source())};
  if (withPyTorch) {
    for (const char* name : {"PyTorch", "PyTorch, again"}) {
      participants.push_back(trials_.participant(HONE_TRY(trials_.companion(name)), std::nullopt));
    }
  }
  const RunScope& scope = trials_.scope();
  engine::FinalOptions options;
  options.rounds = options_.rounds;
  options.maxRounds = kMostExtension * options_.rounds;
  options.compare.seed = scope.seed;
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  engine::Rounds rounds(scope.rankBy, trials_.log(), model::Stage::final);
  engine::FinalPolicy policy(participants.size(), options);
  engine::RoundLoopOptions loop;
  loop.outOfTime = [this](std::int64_t number) {
    return number >= kFewestRounds && clock_.spent(1.0);
  };
  loop.onRound = [this] { workshop_.progress.step(); };
  workshop_.progress.stage("confirming the winner", options.rounds);
  HONE_CHECK(engine::runRounds(rounds, participants, policy, loop));
  const auto& times = policy.result();
  trials_.refresh();
  if (!times[2].comparison) {
    return std::nullopt;
  }
  Confirmation confirmed;
  confirmed.original = *times[2].comparison;
  confirmed.originalNs = stats::median(times[0].timesNs);
  confirmed.bestNs = stats::median(times[2].timesNs);
  if (withPyTorch && times[3].timesNs.size() == times[2].timesNs.size() &&
      times[4].timesNs.size() == times[2].timesNs.size()) {
    confirmed.pytorch =
        stats::compare({times[3].timesNs, times[2].timesNs, times[4].timesNs}, options.compare);
    confirmed.pytorchNs = stats::median(times[3].timesNs);
  }
  return confirmed;
}

Result<std::string> Optimizer::whyUnconfirmed() {
  const std::string winner = trials_.failureOf(best_.entry->trial);
  if (!winner.empty()) {
    return fmt::format("the winner failed when it was to be confirmed ({})", winner);
  }
  std::string beside = trials_.failureOf(original().trial);
  if (beside.empty()) {
    beside = trials_.failureOf(HONE_TRY(trials_.companion(kTwin)));
  }
  return fmt::format("the winner could not be confirmed, for the original failed beside it ({})",
                     beside);
}

const Tried* Optimized::find(const std::string& sourceKey) const {
  for (const Tried& one : tried) {
    if (one.proposal.source.key() == sourceKey) {
      return &one;
    }
  }
  return nullptr;
}

bool Optimized::improved() const {
  return confirmed && confirmed->original.verdict == stats::Verdict::improved;
}

double Optimized::headline() const {
  if (!confirmed) {
    return originalOverPyTorch.value_or(1);
  }
  return (confirmed->pytorch ? *confirmed->pytorch : confirmed->original).speedup.estimate;
}

model::KernelOutcome outcomeOf(const Optimized& optimized) {
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
    outcome.confirmed = recordOf(*optimized.confirmed);
  }
  outcome.originalOverPyTorch = optimized.originalOverPyTorch;
  outcome.candidates = static_cast<std::int64_t>(optimized.candidates);
  outcome.failed = static_cast<std::int64_t>(optimized.failed);
  for (const TurnRecord& turn : optimized.turns) {
    outcome.turns.push_back({.turn = static_cast<std::int64_t>(turn.turn),
                             .proposals = static_cast<std::int64_t>(turn.proposals.size()),
                             .bestSpeedup = turn.bestSpeedup,
                             .improvement = turn.improvement,
                             .complaint = turn.complaint});
  }
  outcome.spent = optimized.spent;
  outcome.cost = optimized.cost;
  return outcome;
}

}  // namespace hone::kernel
