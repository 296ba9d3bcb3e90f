#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "base/error.h"
#include "store/store.h"

namespace hone::report {

/// State of a run, as needed for its result.
struct RunState {
  std::string command;
  store::RunStatus status = store::RunStatus::running;
  std::int64_t trials = 0;
  std::string summary = "{}";  ///< JSON
};

/// Returns the result of a run in one line, the verdict first: "faster: 1.35x (95 % CI 1.30–1.39)".
/// For a run that only measured, returns its main figure; for an unfinished or failed one, its
/// state.
[[nodiscard]] std::string resultText(const RunState& run);

/// Results of the runs of a list. Remembers those of finished runs, which do not change.
class RunResults {
 public:
  /// Reads those results of `runs` that are not cached.
  [[nodiscard]] Result<void> load(const store::Store& store, std::span<const store::RunLine> runs);
  /// Returns the result of a run; "" if it was not loaded.
  [[nodiscard]] std::string of(std::int64_t run) const;
  void clear() { *this = RunResults(); }

 private:
  std::map<std::int64_t, std::string> finished_;
  std::map<std::int64_t, std::string> others_;
};

}  // namespace hone::report
