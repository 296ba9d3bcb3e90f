#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "engine/budget.h"
#include "engine/builder.h"
#include "engine/plan/finding.h"
#include "engine/plan/plan.h"
#include "engine/rounds/sampler.h"
#include "engine/trial_log.h"
#include "engine/verifier.h"
#include "iree/compile/compiler.h"
#include "iree/run/execution.h"

namespace hone::engine {

/// Tools of a process that tries candidates.
struct SessionTools {
  iree::Compiler& compiler;
  const iree::ModuleRunner& runner;
  TrialLog& log;
  Progress& progress;
};

/// State of a candidate in the stages.
struct SessionEntry {
  Candidate candidate;
  std::string key;
  std::int64_t trial = 0;  ///< id in the store; 0: not recorded; -1: about to be recorded
  iree::Call call;
  std::string content;  ///< hash of the binary
  std::string sameAs;   ///< key of the entry with the same binary
  bool passed = false;  ///< verified, and fast enough in screening
  double screenNs = 0;  ///< 0 if not timed
  std::optional<stats::Comparison> comparison;
  std::vector<double> roundTimesNs;
};

/// Candidates of a plan and the state shared by the stages, which are functions on it:
/// screening_stage.h, final_stage.h.
class SessionState {
 public:
  /// The plan and its referents must outlive the state; `folder` is for scratch files.
  SessionState(const SessionTools& sessionTools, const Plan& sessionPlan,
               const std::filesystem::path& folder);
  SessionState(const SessionState&) = delete;
  SessionState& operator=(const SessionState&) = delete;
  ~SessionState() = default;

  /// Restores the records of an earlier process; the log must be restored before.
  [[nodiscard]] Result<void> restore();
  void add(Candidate candidate);

  /// Makes a name unique among the plans of a run.
  [[nodiscard]] std::string scoped(std::string_view name) const;
  [[nodiscard]] SessionEntry& baseline() { return entries.front(); }
  [[nodiscard]] double baselineNs() const { return entries.front().screenNs; }
  /// Returns the best screening time, or 0 before there is one.
  [[nodiscard]] double incumbentNs() const;
  /// Returns the screening time of the entry, or of the one with the same binary.
  [[nodiscard]] std::optional<double> screeningTime(const SessionEntry& entry) const;
  /// Returns the recorded entry with the same binary that is not a duplicate itself, or nullptr.
  [[nodiscard]] const SessionEntry* equalBinary(const SessionEntry& entry) const;
  /// Returns the candidates to race: the fastest, fastest first, or all that passed if the plan
  /// does not select.
  [[nodiscard]] std::vector<std::size_t> passedCandidates() const;
  /// Describes the best result so far for the progress line; "" unless the plan selects.
  [[nodiscard]] std::string bestText() const;
  /// Returns the findings of the tried candidates in order. Times are compared within a stage only.
  [[nodiscard]] std::vector<Finding> findings() const;
  /// Returns the finding of the alternative; nullopt if it was not tried in this process.
  [[nodiscard]] std::optional<Finding> alternativeFinding() const;
  [[nodiscard]] std::int64_t referenceCpuNs() const;

  /// Compiles candidates. All but the baseline time out at `deadlineNs` (monotonic; 0: none).
  [[nodiscard]] Result<std::vector<iree::Compiled>> compile(std::span<const std::size_t> which,
                                                            iree::CompileRequest::Route route,
                                                            std::int64_t deadlineNs = 0);
  static void setModule(SessionEntry& entry, const iree::Compiled& compiled);
  /// Fails with a machine error if the outcome is due to a missing device. Such an outcome says
  /// nothing about the candidate and must not be stored.
  [[nodiscard]] Result<void> expectDevice(model::Outcome outcome) const;

  SessionTools tools;
  const Plan& plan;
  iree::ModuleRunner runner;
  Sampler sampler;
  Verifier verifier;
  std::optional<Verifier> otherVerifier;  ///< for the plan's other inputs
  BudgetClock clock;
  std::optional<Pace> pace;
  Builder builder;
  std::vector<SessionEntry> entries;  ///< one per candidate
  SessionEntry alternative;           ///< ONNX Runtime, if the plan wants it
  SessionEntry twin;                  ///< the baseline measured again; its difference is pure noise
};

}  // namespace hone::engine
