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
  std::vector<double> screenTimesNs;  ///< times of the screening samples; empty if not timed

  [[nodiscard]] bool runs() const { return trial.outcome == model::Outcome::ok; }
  /// Returns the minimum screening time, or nullopt if not timed.
  [[nodiscard]] std::optional<double> screenNs() const;
};

/// Screens and verifies compiled calls, with one commit per trial. Does not repeat recorded work.
class CallTrials {
 public:
  /// Both must outlive this object; the log must be restored.
  CallTrials(TrialLog& log, const Sampler& sampler) : log_(log), sampler_(sampler) {}

  /// Screens the call if it compiled. Without a best time the trial is never eliminated.
  [[nodiscard]] Result<void> screen(CallTrial& one, const iree::CompileReport& report,
                                    std::optional<double> bestNs = {});
  /// Eliminates a trial that is too slow compared with the best time.
  [[nodiscard]] Result<void> eliminateSlow(CallTrial& one, double bestNs);
  /// Verifies the results, unless that was done before.
  [[nodiscard]] Result<void> verify(CallTrial& one, Verifier& verifier);
  /// Adds a trial of the same binary, which is neither screened nor verified again.
  [[nodiscard]] Result<void> addTwin(CallTrial& twin, const CallTrial& of);
  /// Returns the trial as a participant of rounds, with the pace derived from its screening.
  [[nodiscard]] Participant participant(const CallTrial& one) const;

 private:
  /// Restores a recorded trial; returns true if it needs no screening.
  [[nodiscard]] bool adopt(CallTrial& one) const;
  [[nodiscard]] Result<std::vector<model::Sample>> measure(CallTrial& one,
                                                           std::optional<double> bestNs) const;

  TrialLog& log_;
  const Sampler& sampler_;
};

}  // namespace hone::engine
