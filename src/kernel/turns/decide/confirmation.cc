#include "kernel/turns/decide/confirmation.h"

#include "engine/machine_lock.h"
#include "engine/rounds/round_policies.h"
#include "stats/summary.h"

namespace hone::kernel {
namespace {

/// An ambiguous verdict may extend the rounds by this factor.
constexpr std::int64_t kMaxExtension = 3;
/// A second run of the original: its deviation from the first is the noise floor.
constexpr const char* kOriginalAgain = "the original, again";

}  // namespace

std::int64_t processesPerRound(bool withPyTorch) { return withPyTorch ? 5 : 3; }

Result<std::optional<Confirmation>> confirmWinner(const ConfirmRequest& request) {
  KernelTrials& trials = request.trials;
  const Source& source = request.original.source();
  std::vector<engine::Participant> participants = {
      trials.participant(request.original.trial, source),
      trials.participant(HONE_TRY(trials.findOrAddCompanion(kOriginalAgain)), source),
      trials.participant(request.winner.trial, request.winner.source())};
  if (request.withPyTorch) {
    for (const char* name : {"PyTorch", "PyTorch, again"}) {
      participants.push_back(
          trials.participant(HONE_TRY(trials.findOrAddCompanion(name)), std::nullopt));
    }
  }
  const RunScope& scope = trials.scope();
  engine::FinalOptions options;
  options.rounds = request.rounds;
  options.maxRounds = kMaxExtension * request.rounds;
  options.compare.seed = scope.seed;
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  engine::Rounds rounds(scope.rankBy, trials.log(), model::Stage::final);
  engine::FinalPolicy policy(participants.size(), options);
  engine::RoundLoopOptions loop;
  const std::int64_t known =
      trials.recordedRounds(request.winner.trial, model::Stage::final, loop.first);
  loop.outOfTime = [&](std::int64_t number) {
    // A round that would end after the budget is not started.
    const auto left = request.clock.leftUntil(1.0);
    return number >= known && left &&
           *left < trials.longestMeasurement() * std::ssize(participants);
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
  const std::string failure = trials.describeFailure(winner.trial);
  if (!failure.empty()) {
    return fmt::format("the winner failed in the confirmation rounds ({})", failure);
  }
  std::string reason = trials.describeFailure(original.trial);
  if (reason.empty()) {
    reason = trials.describeFailure(HONE_TRY(trials.findOrAddCompanion(kOriginalAgain)));
  }
  if (reason.empty()) {
    return "the budget was used up before the winner could be confirmed; raise --budget";
  }
  return fmt::format("the winner could not be confirmed: the original failed in the rounds ({})",
                     reason);
}

}  // namespace hone::kernel
