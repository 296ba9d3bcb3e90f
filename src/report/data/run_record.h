#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/data/document.h"
#include "report/data/trial_times.h"
#include "store/store.h"

namespace hone::report {

/// A run with all that the store has of it, as the pages need it.
struct RunRecord {
  store::Run run;
  std::vector<store::Trial> trials;  ///< in the order they were added
  TrialTimes times;

  /// An unknown run is a user error.
  [[nodiscard]] static Result<RunRecord> load(const store::Store& store, std::int64_t id);

  /// The summary, for model/result to read.
  [[nodiscard]] nlohmann::json summary() const;
  [[nodiscard]] bool finished() const { return run.status == store::RunStatus::finished; }
  /// "CPU time" or "wall time": what the run is ranked by.
  [[nodiscard]] std::string clock() const;
  /// "190 ok, 10 too_slow".
  [[nodiscard]] std::string outcomes() const;
  /// Every trial with its outcome and its time.
  [[nodiscard]] DataTable trialTable() const;
  /// Trials that took part in the rounds of a final, round by round.
  struct Runner {
    const store::Trial* trial = nullptr;
    std::string name;
    Role role = Role::plain;
  };
  [[nodiscard]] Plot roundsPlot(const std::string& title, const std::vector<Runner>& runners) const;
};

/// The configuration's name; "baseline" for the compiler's own choice.
[[nodiscard]] std::string labelOf(const store::Trial& trial);
/// Neither chosen too slow nor right: what an engineer wants to look at.
[[nodiscard]] bool failed(const store::Trial& trial);
/// The baseline measured once more, for the noise.
[[nodiscard]] bool isTwin(const store::Trial& trial);

}  // namespace hone::report
