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

/// The options that say which problems are swept.
struct SplitWorkload {
  std::string file;
  std::string type;
  std::int64_t limit = 0;  ///< 0: all
  bool strict = false;

  void addTo(CLI::App& verb);
  /// Each problem once. Lines that cannot be read, and problems that have no reduction to split,
  /// are named and left out; with --strict the first one is an error.
  [[nodiscard]] Result<std::vector<split::SweepProblem>> problems(Progress& progress) const;
};

}  // namespace hone::app
