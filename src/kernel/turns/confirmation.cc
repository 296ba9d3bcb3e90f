#include "kernel/turns/confirmation.h"

#include "engine/machine_lock.h"
#include "engine/rounds/round_policies.h"
#include "stats/summary.h"

namespace hone::kernel {
namespace {

/// An open verdict may take this many times the rounds.
constexpr std::int64_t kMostExtension = 3;
/// Rounds of the confirmation that are taken even when the budget is used up.
constexpr std::int64_t kFewestRounds = 6;
constexpr const char* kTwin = "the original, again";

}  // namespace

Result<std::optional<Confirmation>> confirmWinner(const ConfirmRequest& request) {
  KernelTrials& trials = request.trials;
  const Source& source = request.original.source();
  std::vector<engine::Participant> participants = {
      trials.participant(request.original.trial, source),
      trials.participant(HONE_TRY(trials.companion(kTwin)), source),
      trials.participant(request.winner.trial, request.winner.source())};
  if (request.withPyTorch) {
    for (const char* name : {"PyTorch", "PyTorch, again"}) {
      participants.push_back(trials.participant(HONE_TRY(trials.companion(name)), std::nullopt));
    }
  }
  const RunScope& scope = trials.scope();
  engine::FinalOptions options;
  options.rounds = request.rounds;
  options.maxRounds = kMostExtension * request.rounds;
  options.compare.seed = scope.seed;
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  engine::Rounds rounds(scope.rankBy, trials.log(), model::Stage::final);
  engine::FinalPolicy policy(participants.size(), options);
  engine::RoundLoopOptions loop;
  loop.outOfTime = [&request](std::int64_t number) {
    return number >= kFewestRounds && request.clock.spent(1.0);
  };
  loop.onRound = [&request] { request.progress.step(); };
  request.progress.stage("confirming the winner", options.rounds);
  HONE_CHECK(engine::runRounds(rounds, participants, policy, loop));
  const auto& times = policy.result();
  trials.refresh();
  if (!times[2].comparison) {
    return std::nullopt;
  }
  Confirmation confirmed;
  confirmed.original = *times[2].comparison;
  confirmed.originalNs = stats::median(times[0].timesNs);
  confirmed.bestNs = stats::median(times[2].timesNs);
  if (request.withPyTorch && times[3].timesNs.size() == times[2].timesNs.size() &&
      times[4].timesNs.size() == times[2].timesNs.size()) {
    confirmed.pytorch =
        stats::compare({times[3].timesNs, times[2].timesNs, times[4].timesNs}, options.compare);
    confirmed.pytorchNs = stats::median(times[3].timesNs);
  }
  return confirmed;
}

Result<std::string> explainUnconfirmed(KernelTrials& trials, const Entry& original,
                                       const Entry& winner) {
  const std::string failure = trials.failureOf(winner.trial);
  if (!failure.empty()) {
    return fmt::format("the winner failed when it was to be confirmed ({})", failure);
  }
  std::string beside = trials.failureOf(original.trial);
  if (beside.empty()) {
    beside = trials.failureOf(HONE_TRY(trials.companion(kTwin)));
  }
  return fmt::format("the winner could not be confirmed, for the original failed beside it ({})",
                     beside);
}

}  // namespace hone::kernel
