#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/reduction.h"

namespace hone::model {

/// How SetSplitReductionSizes.cpp is written: the code differs, and what its constants mean.
enum class SourceForm : std::uint8_t {
  /// getWeightBackwardReductionSizes and getMatmulLikeReductionSizes, each with a chain
  /// `int64_t limitParallelLoops; if (outputSize < …) …`.
  chain,
  /// Today's: getConvolutionLimitParallelLoops and getMatmulLimitParallelLoops return the limit.
  functions,
};

/// "chain", "functions".
[[nodiscard]] std::string_view nameOf(SourceForm form);

/// When an operation is not split at all. The members in the words of the forms:
///                   chain, convolution   chain, matmul    functions, convolution  functions,
///                   matmul
/// largeParallel     largeParallelSize    largeMNSize      largeParallelSize       largeOutputSize
/// smallReduction    largeReductionSize   largeKSize       smallReductionSize      smallKSize
/// ratio             ratioThreshold       ratioThreshold   ratioThreshold          ratioThreshold
struct EarlyReturns {
  std::int64_t largeParallel = 0;
  std::int64_t smallReduction = 0;
  std::int64_t ratio = 0;

  bool operator==(const EarlyReturns&) const = default;
};

/// Below this reduction size, this limit.
struct Step {
  std::int64_t reductionBelow = 0;
  std::int64_t limit = 1;

  bool operator==(const Step&) const = default;
};

/// Below this output size: the first step that fits, or the limit.
struct Band {
  std::int64_t outputBelow = 0;
  std::vector<Step> steps;  ///< ascending; none in a ladder over the output size alone
  std::int64_t limit = 1;

  bool operator==(const Band&) const = default;
};

/// The chain of conditions that gives the limit: the first band that fits; after the last one
/// min(cap, size of the loop that is split first).
struct Ladder {
  std::vector<Band> bands;  ///< ascending
  std::int64_t cap = 16;

  bool operator==(const Ladder&) const = default;
};

/// What a version of the compiler's function does, as data.
struct Heuristic {
  ReductionKind kind = ReductionKind::matmul;
  SourceForm form = SourceForm::functions;
  EarlyReturns returns;
  Ladder ladder;

  bool operator==(const Heuristic&) const = default;
};

/// How far predicted times are from the best that was measured of each shape, and from what the
/// compiler itself chose.
struct Regret {
  std::int64_t shapes = 0;   ///< that have a prediction; the ratios are over these
  std::int64_t unknown = 0;  ///< that have none
  double geomeanRatio = 1;   ///< of time / best
  double worstRatio = 1;
  double totalUs = 0, bestTotalUs = 0;
  std::int64_t improved = 0, neutral = 0, regressed = 0;  ///< against the baseline, at 5 %
  double speedup = 1;  ///< geometric mean of baseline / time, of shapes that have a baseline

  bool operator==(const Regret&) const = default;
};

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

/// What recommendation.json holds.
[[nodiscard]] nlohmann::json toJson(std::span<const Recommendation> recommendations);
[[nodiscard]] Result<std::vector<Recommendation>> recommendationsFrom(const nlohmann::json& json);

}  // namespace hone::model
