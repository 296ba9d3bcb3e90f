#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/data/measured.h"
#include "stats/compare.h"
#include "store/store.h"

namespace hone::report {

/// Verdict on an item that both runs measured, worst first.
enum class Change : std::uint8_t { broken, slower, ambiguous, same, faster };

/// Returns the name used in JSON, where `ambiguous` is "unsure".
[[nodiscard]] std::string_view nameOf(Change change);
/// Returns the name shown to people.
[[nodiscard]] std::string_view describeChange(Change change);

struct ComparedItem {
  std::string label;
  std::string choiceBefore, choiceAfter;  ///< empty if the command makes no choice
  double beforeNs = 0, afterNs = 0;
  stats::Comparison comparison;
  Change change = Change::ambiguous;
  bool sameBinary = false;
  std::string message;  ///< reason for the failure in the second run
};

/// Two runs compared item by item. The speedup is before / after: above 1 is faster.
struct RunComparison {
  store::Run before, after;
  bool cpuTime = false;  ///< false: wall time
  double margin = 0;
  double confidence = 0.95;  ///< per interval, corrected so that all of them hold jointly with 95 %
  double floor = 0;          ///< noise floor: difference of equal binaries between the runs
  std::size_t equalBinaries = 0;
  bool sameMachine = true;
  std::vector<std::string> differences;  ///< between the environments: "compiler: a -> b"
  std::vector<ComparedItem> things;      ///< worst first
  std::vector<std::string> onlyBefore, onlyAfter;
  /// Number of items timed in the first run and not reached by an unfinished second run.
  std::size_t missing = 0;

  [[nodiscard]] std::size_t count(Change change) const;
  /// Returns true if an item is significantly slower, broken or missing.
  [[nodiscard]] bool gotWorse() const;
};

struct CompareRunsOptions {
  double margin = 0.05;  ///< smaller relative differences are ignored
  std::uint64_t seed = 1;
};

/// A run and its store.
struct StoredRun {
  const store::Store& store;
  std::int64_t run = 0;
};

/// Compares two runs; fails with a user error if a run does not exist or their commands differ.
[[nodiscard]] Result<RunComparison> compareRuns(const StoredRun& before, const StoredRun& after,
                                                const CompareRunsOptions& options);

}  // namespace hone::report
