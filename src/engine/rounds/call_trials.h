#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/rounds/rounds.h"
#include "engine/rounds/sampler.h"
#include "engine/trial_log.h"
#include "engine/verifier.h"
#include "iree/compile/job/compile_job.h"
#include "iree/run/execution.h"
#include "store/records.h"

namespace hone::engine {

/// A compiled call as a trial.
struct CallTrial {
  store::Trial trial;  ///< key, problem and config are set by the caller
  iree::Call call;
  std::vector<double> screenTimesNs;  ///< of the samples of its screening; none: not timed

  [[nodiscard]] bool runs() const { return trial.outcome == model::Outcome::ok; }
  /// Returns the minimum of its screening; nothing if it was not timed.
  [[nodiscard]] std::optional<double> screenNs() const;
};

/// Takes compiled calls through screening and verification, one commit per trial. What the run has
/// in the store is not done again.
class CallTrials {
 public:
  /// Both must outlive this; the log is restored.
  CallTrials(TrialLog& log, const Sampler& sampler) : log_(log), sampler_(sampler) {}

  /// Screens what compiled. Without a best time the trial is never eliminated.
  [[nodiscard]] Result<void> screen(CallTrial& one, const iree::CompileReport& report,
                                    std::optional<double> bestNs = {});
  /// Eliminates a trial that the best time, known by now, shows to be too slow.
  [[nodiscard]] Result<void> eliminateSlow(CallTrial& one, double bestNs);
  /// Compares its results with the reference, once.
  [[nodiscard]] Result<void> verify(CallTrial& one, Verifier& verifier);
  /// Adds a trial of the same binary, which is neither screened nor verified again.
  [[nodiscard]] Result<void> addTwin(CallTrial& twin, const CallTrial& of);
  /// Returns the trial as a participant of rounds, at the pace of its screening.
  [[nodiscard]] Participant participant(const CallTrial& one) const;

 private:
  /// Returns true if the trial was recorded before and needs no screening.
  [[nodiscard]] bool adopt(CallTrial& one) const;
  [[nodiscard]] Result<std::vector<model::Sample>> measure(CallTrial& one,
                                                           std::optional<double> bestNs) const;

  TrialLog& log_;
  const Sampler& sampler_;
};

}  // namespace hone::engine
