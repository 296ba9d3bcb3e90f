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

/// What became of something that both runs measured.
enum class Change : std::uint8_t { broken, slower, unsure, same, faster };

[[nodiscard]] std::string_view nameOf(Change change);

struct ComparedItem {
  std::string label;
  std::string choiceBefore, choiceAfter;  ///< where the runs chose; else ""
  double beforeNs = 0, afterNs = 0;
  stats::Comparison comparison;
  Change change = Change::unsure;
  bool sameBinary = false;
  std::string message;  ///< why it fails in the second run
};

/// Two runs, thing by thing. The speedup is before / after: above 1 it got faster.
struct RunComparison {
  store::Run before, after;
  bool cpuTime = false;  ///< else wall time
  double margin = 0;
  double confidence = 0.95;  ///< of each interval, so that all of them hold with 95 %
  double floor = 0;          ///< how much equal binaries differ between the runs
  std::size_t equalBinaries = 0;
  bool sameMachine = true;
  std::vector<std::string> differences;  ///< of the runs themselves: "compiler: a -> b"
  std::vector<ComparedItem> things;      ///< the worst first
  std::vector<std::string> onlyBefore, onlyAfter;
  /// What the first run timed and the second, which did not finish, never came to.
  std::size_t missing = 0;

  [[nodiscard]] std::size_t count(Change change) const;
  /// Something is slower for sure, does not work any more, or is missing.
  [[nodiscard]] bool gotWorse() const;
};

struct CompareRunsOptions {
  double margin = 0.05;  ///< smaller relative differences do not count
  std::uint64_t seed = 1;
};

/// A run where it is stored.
struct StoredRun {
  const store::Store& store;
  std::int64_t run = 0;
};

/// Runs of different verbs are a user error.
[[nodiscard]] Result<RunComparison> compareRuns(const StoredRun& before, const StoredRun& after,
                                                const CompareRunsOptions& options);

}  // namespace hone::report
