#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "split/fit/heuristic.h"
#include "split/fit/simulate.h"
#include "split/sweep/sweep_result.h"

namespace hone::split {

using model::FittedHeuristic;
using model::Recommendation;

/// Returns one recommendation per kind that has shapes with a time for a limit; convolutions first.
[[nodiscard]] std::vector<Recommendation> recommend(const SweepResult& sweep, SourceForm form);

/// Returns the reason not to change the compiler's code: a proven regression or failure, or no
/// gain. Without a validation, the predictions decide. Returns nullopt if the code gains.
[[nodiscard]] std::optional<std::string> reasonToKeepCompilersCode(const FittedHeuristic& fitted);

/// Writes and reads recommendation.json in a results folder.
[[nodiscard]] Result<void> writeRecommendations(const std::filesystem::path& folder,
                                                std::span<const Recommendation> recommendations);
[[nodiscard]] Result<std::vector<Recommendation>> readRecommendations(
    const std::filesystem::path& folder);

}  // namespace hone::split
