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
  std::size_t batch = 1;   ///< points requested at once
  std::size_t trials = 0;  ///< upper bound; 0: all points
  bool useGuess = true;    ///< pass the recorded cost estimates and first points to the strategy
};

/// Runs a strategy on a recording. Returns the best time after each trial, infinity before the
/// first success.
[[nodiscard]] Result<std::vector<double>> replay(const Recording& recording,
                                                 std::string_view strategy,
                                                 const ReplayOptions& options);

/// Returns the number of trials until the best so far is within a fraction of the recording's best,
/// such as 0.05 for 5 %; nullopt if it never is.
[[nodiscard]] std::optional<std::size_t> trialsUntil(const Recording& recording,
                                                     const std::vector<double>& bestSoFar,
                                                     double withinFraction);

}  // namespace hone::search
