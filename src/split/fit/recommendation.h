#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "split/fit/heuristic.h"
#include "split/fit/simulate.h"
#include "split/sweep/sweep_result.h"

namespace hone::split {

/// A heuristic that was fitted to a sweep, and how good it is predicted to be.
struct FittedHeuristic {
  Heuristic heuristic;
  Regret inSample;             ///< on the shapes that it was fitted to
  Regret leftOut;              ///< each shape under a fit to the shapes of the other folds
  std::int64_t codeLines = 0;  ///< of the code that gives the limit

  bool operator==(const FittedHeuristic&) const = default;
};

/// The code for the operations of one kind, in one form of the compiler's source.
struct Recommendation {
  FittedHeuristic oneD;  ///< limits by output size alone
  FittedHeuristic twoD;  ///< by output size and reduction size
  bool takeTwoD = false;
  std::string why;  ///< "2-D: …", a sentence

  [[nodiscard]] const FittedHeuristic& taken() const { return takeTwoD ? twoD : oneD; }
  bool operator==(const Recommendation&) const = default;
};

/// One for each kind that has shapes with a time under a limit; convolutions first.
[[nodiscard]] std::vector<Recommendation> recommend(const SweepResult& sweep, SourceForm form);

/// What recommendation.json holds.
[[nodiscard]] nlohmann::json toJson(std::span<const Recommendation> recommendations);
[[nodiscard]] Result<std::vector<Recommendation>> recommendationsFrom(const nlohmann::json& json);

/// recommendation.json in a results folder.
[[nodiscard]] Result<void> writeRecommendations(const std::filesystem::path& folder,
                                                std::span<const Recommendation> recommendations);
[[nodiscard]] Result<std::vector<Recommendation>> readRecommendations(
    const std::filesystem::path& folder);

}  // namespace hone::split
