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

/// The tools of a process that tries candidates.
struct SessionTools {
  iree::Compiler& compiler;
  const iree::ModuleRunner& runner;
  TrialLog& log;
  Progress& progress;
};

/// A candidate on its way through the stages.
struct SessionEntry {
  Candidate candidate;
  std::string key;
  std::int64_t trial = 0;  ///< its id in the store; 0 while it is not there
  iree::Call call;
  std::string content;  ///< hash of the binary
  std::string sameAs;   ///< the key of the entry whose binary is equal
  bool passed = false;  ///< verified, and fast enough in screening
  double screenNs = 0;  ///< 0: not timed
  std::optional<stats::Comparison> comparison;
  std::vector<double> roundTimesNs;
};

/// The candidates of a plan with everything that the stages share. The stages are functions of it:
/// screening_stage.h, final_stage.h.
class SessionState {
 public:
  /// The plan, and what it points to, must outlive the state; the folder is for scratch files.
  SessionState(const SessionTools& sessionTools, const Plan& sessionPlan,
               const std::filesystem::path& folder);
  SessionState(const SessionState&) = delete;
  SessionState& operator=(const SessionState&) = delete;
  ~SessionState() = default;

  /// Takes over what an earlier process recorded; the log must be restored.
  [[nodiscard]] Result<void> restore();
  void add(Candidate candidate);

  /// Makes a name unique among the plans of a run.
  [[nodiscard]] std::string scoped(std::string_view name) const;
  [[nodiscard]] SessionEntry& baseline() { return entries.front(); }
  [[nodiscard]] double baselineNs() const { return entries.front().screenNs; }
  /// Returns the best time in screening; 0 before there is one.
  [[nodiscard]] double incumbentNs() const;
  /// Returns the time in screening of the entry, or of the one with the same binary.
  [[nodiscard]] std::optional<double> timeOf(const SessionEntry& entry) const;
  /// Returns an entry that was measured and has the same binary; nullptr if there is none.
  [[nodiscard]] const SessionEntry* equalBinary(const SessionEntry& entry) const;
  /// Returns the candidates worth racing, the fastest first.
  [[nodiscard]] std::vector<std::size_t> passedCandidates() const;
  /// Describes the best so far for people; "" if the plan selects none.
  [[nodiscard]] std::string bestText() const;
  /// Returns how every tried candidate ended, in the order of the candidates.
  [[nodiscard]] std::vector<Finding> findings() const;
  [[nodiscard]] std::int64_t referenceCpuNs() const;

  [[nodiscard]] Result<std::vector<iree::Compiled>> compile(std::span<const std::size_t> which,
                                                            iree::CompileRequest::Route route);
  static void setModule(SessionEntry& entry, const iree::Compiled& compiled);
  /// Returns a machine error if the outcome may mean that the device is gone: then it says nothing
  /// about the candidate, and nothing of it is stored.
  [[nodiscard]] Result<void> expectDevice(model::Outcome outcome) const;

  SessionTools tools;
  const Plan& plan;
  iree::ModuleRunner runner;
  Sampler sampler;
  Verifier verifier;
  std::optional<Verifier> otherVerifier;  ///< of the plan's other inputs
  BudgetClock clock;
  std::optional<Pace> pace;
  Builder builder;
  std::vector<SessionEntry> entries;  ///< one per candidate
  SessionEntry twin;                  ///< the baseline once more: its difference is pure noise
};

}  // namespace hone::engine
