#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/reduction.h"

namespace hone::split {

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
  model::ReductionKind kind = model::ReductionKind::matmul;
  SourceForm form = SourceForm::functions;
  EarlyReturns returns;
  Ladder ladder;

  bool operator==(const Heuristic&) const = default;
};

/// The constants that the compiler itself has: today's in `functions`, the first ones in `chain`.
[[nodiscard]] EarlyReturns compilersReturns(SourceForm form, model::ReductionKind kind);
/// The numbers of an operation that the form's early returns compare with their constants.
[[nodiscard]] EarlyReturns measuresOf(SourceForm form, const model::Reduction& reduction);
/// Whether the form's early returns, with these constants, leave the operation alone. Today's form
/// has conditions with numbers in them besides; they stay as they are and count here too.
[[nodiscard]] bool skips(SourceForm form, const EarlyReturns& returns,
                         const model::Reduction& reduction);
[[nodiscard]] std::int64_t limitOf(const Ladder& ladder, const model::Reduction& reduction);
/// The limit that the code gives; nothing: it leaves the operation alone.
[[nodiscard]] std::optional<std::int64_t> limitOf(const Heuristic& heuristic,
                                                  const model::Reduction& reduction);

[[nodiscard]] nlohmann::json toJson(const Heuristic& heuristic);
[[nodiscard]] Result<Heuristic> heuristicFrom(const nlohmann::json& json);

}  // namespace hone::split
