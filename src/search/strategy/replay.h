#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "search/space/recording.h"

namespace hone::search {

struct ReplayOptions {
  std::uint64_t seed = 1;
  std::size_t batch = 1;   ///< how many points are asked for at once
  std::size_t trials = 0;  ///< at most; 0: as many as there are points
  bool useGuess = true;    ///< give the strategy the recorded guesses and first points
};

/// Runs a strategy on a recording. Returns the best time after each trial, infinite before the
/// first that did not fail.
[[nodiscard]] Result<std::vector<double>> replay(const Recording& recording,
                                                 std::string_view strategy,
                                                 const ReplayOptions& options);

/// Returns after how many trials the best so far is within a fraction of the recording's best: 0.05
/// for 5 %.
[[nodiscard]] std::optional<std::size_t> trialsUntil(const Recording& recording,
                                                     const std::vector<double>& bestSoFar,
                                                     double withinFraction);

}  // namespace hone::search
