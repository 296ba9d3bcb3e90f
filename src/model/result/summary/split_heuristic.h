#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/reduction.h"

namespace hone::model {

/// The meaning of the constants in SetSplitReductionSizes.cpp. Each kind of operation has its own:
/// between the two releases that have one form, there are sources of mixed forms.
enum class SourceForm : std::uint8_t {
  /// Older: the early returns compare batch and channels, or m and n, one by one. The limit is set
  /// by a chain `int64_t limitParallelLoops; if (outputSize < …) …`.
  chain,
  /// Newer: the early returns compare products. In the current source,
  /// getConvolutionLimitParallelLoops and getMatmulLimitParallelLoops return the limit.
  functions,
};

/// Returns "chain" or "functions".
[[nodiscard]] std::string_view nameOf(SourceForm form);

/// Thresholds of the early returns, which leave an operation unsplit. Names of the members in the
/// compiler's source:
///
///                chain, convolution  chain, matmul   functions, convolution  functions, matmul
/// largeParallel  largeParallelSize   largeMNSize     largeParallelSize       largeOutputSize
/// smallReduction largeReductionSize  largeKSize      smallReductionSize      smallKSize
/// ratio          ratioThreshold      ratioThreshold  ratioThreshold          ratioThreshold
/// modestReduction -                  -               a literal               a literal
struct EarlyReturns {
  std::int64_t largeParallel = 0;
  std::int64_t smallReduction = 0;
  std::int64_t ratio = 0;
  /// Reductions below it are not split if the output is huge; 0: no such condition.
  std::int64_t modestReduction = 0;

  bool operator==(const EarlyReturns&) const = default;
};

/// Limit of a rung that does not split the operation. With a limit of one part the compiler would
/// still create a second dispatch, so code for this limit returns std::nullopt.
inline constexpr std::int64_t kNoSplit = 1;

/// A rung within a band: `limit` applies to reduction sizes below `reductionBelow`.
struct Step {
  std::int64_t reductionBelow = 0;
  std::int64_t limit = 1;

  bool operator==(const Step&) const = default;
};

/// A rung over the output size: applies to output sizes below `outputBelow`. The limit is that of
/// the first step that matches, or `limit` if none does.
struct Band {
  std::int64_t outputBelow = 0;
  std::vector<Step> steps;  ///< ascending; empty in a ladder over the output size only
  std::int64_t limit = 1;

  bool operator==(const Band&) const = default;
};

/// The chain of if/else conditions ("ladder") that maps an operation's sizes to its limit on
/// parallel loops. Each condition is a "rung". The first matching band decides; after the last band
/// the limit is min(cap, size of the loop that is split first).
struct Ladder {
  std::vector<Band> bands;  ///< ascending
  std::int64_t cap = 16;

  bool operator==(const Ladder&) const = default;
};

/// The sizes of the shapes that a heuristic was fitted to. It says nothing about other sizes, for
/// which the compiler's own code decides.
struct MeasuredRange {
  std::int64_t shapes = 0;                          ///< 0: not known
  std::int64_t minOutput = 0, maxOutput = 0;        ///< both inclusive
  std::int64_t minReduction = 0, maxReduction = 0;  ///< both inclusive

  [[nodiscard]] bool contains(std::int64_t output, std::int64_t reduction) const {
    return output >= minOutput && output <= maxOutput && reduction >= minReduction &&
           reduction <= maxReduction;
  }
  bool operator==(const MeasuredRange&) const = default;
};

/// The compiler's function that chooses the limit, as data.
struct Heuristic {
  ReductionKind kind = ReductionKind::matmul;
  SourceForm form = SourceForm::functions;
  EarlyReturns returns;
  Ladder ladder;
  MeasuredRange range = {};

  bool operator==(const Heuristic&) const = default;
};

/// Regret of a heuristic: the predicted times compared with the best measured time of each shape,
/// and with the compiler's default. Zero regret (all ratios 1) means the heuristic picks the
/// best measured limit for every shape.
struct Regret {
  std::int64_t shapes = 0;   ///< shapes with a prediction; the ratios are over these
  std::int64_t unknown = 0;  ///< shapes without a prediction
  double geomeanRatio = 1;   ///< geometric mean of time / best
  double worstRatio = 1;
  double totalUs = 0, bestTotalUs = 0;
  std::int64_t improved = 0, neutral = 0,
               regressed = 0;  ///< relative to the baseline, with a 5 % threshold
  double speedup = 1;          ///< geometric mean of baseline / time over shapes with a baseline

  bool operator==(const Regret&) const = default;
};

/// Verdicts of shapes measured with the code of a heuristic, against the compiler's default.
struct ValidationCounts {
  std::int64_t improved = 0, neutral = 0, ambiguous = 0, regressed = 0;
  std::int64_t failed = 0;  ///< shapes that ran with the compiler's default only

  bool operator==(const ValidationCounts&) const = default;
};

/// A heuristic fitted to a sweep, with its predicted quality.
struct FittedHeuristic {
  Heuristic heuristic;
  Regret inSample;                                 ///< on the shapes it was fitted to
  Regret crossValidated;                           ///< each shape under a fit to the other folds
  std::int64_t codeLines = 0;                      ///< lines of the code that returns the limit
  std::optional<ValidationCounts> validated = {};  ///< absent: not validated

  bool operator==(const FittedHeuristic&) const = default;
};

/// Recommended code for the operations of one kind, in one form of the compiler's source.
struct Recommendation {
  FittedHeuristic oneD;  ///< limits by output size alone
  FittedHeuristic twoD;  ///< by output size and reduction size
  bool takeTwoD = false;
  std::string why;  ///< "2-D: …", a sentence

  [[nodiscard]] const FittedHeuristic& taken() const { return takeTwoD ? twoD : oneD; }
  bool operator==(const Recommendation&) const = default;
};

/// Encodes the content of recommendation.json.
[[nodiscard]] nlohmann::json toJson(std::span<const Recommendation> recommendations);
[[nodiscard]] Result<std::vector<Recommendation>> recommendationsFrom(const nlohmann::json& json);

}  // namespace hone::model
