#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "engine/plan/plan_json.h"
#include "engine/plan/plan_unit.h"
#include "engine/plan/session_state.h"
#include "engine/plan/trial_context.h"
#include "engine/trial_log.h"

namespace hone::engine {

/// One execution of a plan: submits its candidates to the executor as units and takes the results.
class Session {
 public:
  /// The plan, and what it points to, must outlive the session; the folder is for scratch files.
  Session(const TrialContext& context, const Plan& plan, const std::filesystem::path& folder)
      : context_(context),
        log_(context.store, context.run),
        state_({context.compiler, context.runner, log_, context.progress}, plan, folder) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() = default;

  /// Takes over what an earlier process recorded of this run.
  [[nodiscard]] Result<void> restore();

  /// Takes the plan's candidates all the way in one unit; for plans without a proposer.
  [[nodiscard]] Result<void> proveAll();
  /// Tries candidates until there are no more or the budget is used up, then proves the best.
  [[nodiscard]] Result<void> search();

  // The steps of search(), for callers with several sessions at a time. Each step submits units;
  // receive() waits for them.

  /// Submits the plan's own candidates to be screened.
  [[nodiscard]] Result<void> submitPlanned();
  /// Submits the next few that the proposer proposes, at most `most`; returns their number.
  [[nodiscard]] Result<std::size_t> submitProposed(
      std::size_t most = std::numeric_limits<std::size_t>::max());
  /// Submits race and final.
  [[nodiscard]] Result<void> submitFinal();
  /// Waits for the submitted units and gives the proposer its feedback.
  [[nodiscard]] Result<void> receive();
  /// Returns the tickets that receive() waits for.
  [[nodiscard]] std::vector<Ticket> tickets() const;

  [[nodiscard]] std::vector<Finding> findings() const { return state_.findings(); }
  [[nodiscard]] std::int64_t referenceCpuNs() const { return state_.referenceCpuNs(); }
  /// The baseline's time in screening, and the best; 0 before there is one.
  [[nodiscard]] double baselineNs() const { return state_.baselineNs(); }
  [[nodiscard]] double incumbentNs() const { return state_.incumbentNs(); }
  /// Returns how many candidates have an outcome in the store, the baseline included.
  [[nodiscard]] std::size_t tried() const;

 private:
  /// A unit under way.
  struct Sent {
    Ticket ticket;
    std::vector<std::size_t> which;  ///< the baseline first
    Extent extent = Extent::screened;
  };

  /// Returns the number of planned candidates that the budget of trials allows.
  [[nodiscard]] std::size_t allowedPlanned() const;
  [[nodiscard]] Result<void> submit(std::vector<std::size_t> which, Extent extent);
  /// Submits those that the store does not have, in a few units: at least one for each place of the
  /// executor, if there are enough candidates.
  [[nodiscard]] Result<void> submitScreening(std::size_t first, std::size_t count);
  void learn();
  /// Takes over what another process tried.
  [[nodiscard]] Result<void> take(const Sent& sent, PlanResult result);
  /// Judges an entry that another process screened; `ratio` scales its time to the baseline's here.
  void judgeRemote(std::size_t index, store::TrialRecord& record, double ratio);
  /// Handles a unit that ended every process that tried it: tries its candidates one by one, or
  /// records the failure of the only one.
  [[nodiscard]] Result<void> takeFailed(const Sent& sent, const std::string& why);

  TrialContext context_;
  TrialLog log_;
  SessionState state_;
  std::vector<Sent> sent_;
  std::size_t unlearned_ = 0;  ///< the first proposed entry without feedback
};

}  // namespace hone::engine
