#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "split/sweep/sweeper.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Options that select the problems to sweep.
struct SplitWorkload {
  std::string file;
  std::string type;
  std::int64_t limit = 0;  ///< 0: all
  bool strict = false;

  void addTo(CLI::App& command);
  /// Returns the problems without duplicates. Skips and reports invalid lines and problems without
  /// a reduction to split; with --strict, fails on the first one.
  [[nodiscard]] Result<std::vector<split::SweepProblem>> problems(Progress& progress) const;
};

}  // namespace hone::app
