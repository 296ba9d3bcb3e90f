#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "engine/plan/plan_json.h"
#include "engine/plan/plan_unit.h"
#include "engine/plan/session_state.h"
#include "engine/plan/trial_context.h"
#include "engine/trial_log.h"

namespace hone::engine {

/// One execution of a plan: submits its candidates as units and receives the results.
class Session {
 public:
  /// The plan and its referents must outlive the session; `folder` is for scratch files.
  Session(const TrialContext& context, const Plan& plan, const std::filesystem::path& folder)
      : context_(context),
        log_(context.store, context.run),
        state_({context.compiler, context.runner, log_, context.progress}, plan, folder) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() = default;

  /// Restores the records of an earlier process of this run.
  [[nodiscard]] Result<void> restore();

  /// Screens and proves the plan's candidates in one unit; for plans without a proposer.
  [[nodiscard]] Result<void> proveAll();
  /// Tries candidates until there are no more or the budget is used up, then proves the best.
  [[nodiscard]] Result<void> search();

  // Steps of search(), for callers with several concurrent sessions. Each step submits units;
  // receive() waits for them.

  /// Submits the candidates of the plan for screening.
  [[nodiscard]] Result<void> submitPlanned();
  /// Submits the next proposals, at most `limit`; returns their number.
  [[nodiscard]] Result<std::size_t> submitProposed(
      std::size_t limit = std::numeric_limits<std::size_t>::max());
  /// Submits race and final.
  [[nodiscard]] Result<void> submitFinal();
  /// Waits for the submitted units and gives the proposer its feedback.
  [[nodiscard]] Result<void> receive();
  /// Returns the tickets that receive() waits for.
  [[nodiscard]] std::vector<Ticket> tickets() const;

  [[nodiscard]] std::vector<Finding> findings() const { return state_.findings(); }
  [[nodiscard]] std::int64_t referenceCpuNs() const { return state_.referenceCpuNs(); }
  /// Return the screening time of the baseline and the best one; 0 before there is one.
  /// Returns the finding of ONNX Runtime, if the plan wants it and it was measured here.
  [[nodiscard]] std::optional<Finding> alternative() const { return state_.alternativeFinding(); }
  [[nodiscard]] double baselineNs() const { return state_.baselineNs(); }
  [[nodiscard]] double incumbentNs() const { return state_.incumbentNs(); }
  /// Returns the number of candidates with an outcome in the store, including the baseline.
  [[nodiscard]] std::size_t tried() const;

 private:
  /// A submitted unit without a result.
  struct Sent {
    Ticket ticket;
    std::vector<std::size_t> which;  ///< baseline first
    LastStage lastStage = LastStage::screened;
  };

  /// Returns the number of planned candidates within the trial budget.
  [[nodiscard]] std::size_t allowedPlanned() const;
  [[nodiscard]] Result<void> submit(std::vector<std::size_t> which, LastStage lastStage);
  /// Submits the candidates that are not stored, in at least one unit per place of the executor if
  /// there are enough candidates.
  [[nodiscard]] Result<void> submitScreening(std::size_t first, std::size_t count);
  void learn();
  /// Adds the results of another process.
  [[nodiscard]] Result<void> take(const Sent& sent, PlanResult result);
  /// Facts about the process that sent a result.
  struct OtherProcess {
    std::map<std::string, std::string> keys;  ///< from its keys to keys of this session
    double baselineNs = 0;                    ///< screening time of its baseline; 0 if unknown
  };
  /// Copies the result of one candidate into its entry and completes its record; returns false if
  /// there is nothing to record.
  bool takeTried(std::size_t index, LastStage lastStage, const OtherProcess& there,
                 TriedCandidate& tried);
  /// Judges an entry screened by another process; `ratio` scales its time by the baselines.
  void judgeRemote(std::size_t index, store::TrialRecord& record, double ratio);
  /// Handles a failed unit, such as one that ended every process that performed it. Retries its
  /// candidates one by one, or records the failure of the only one.
  [[nodiscard]] Result<void> takeFailed(const Sent& sent, const std::string& why);

  TrialContext context_;
  TrialLog log_;
  SessionState state_;
  std::vector<Sent> sent_;
  std::size_t unlearned_ = 0;  ///< first proposed entry without feedback
};

}  // namespace hone::engine
