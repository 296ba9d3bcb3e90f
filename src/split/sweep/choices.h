#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "iree/compile/split_compile.h"
#include "model/problem/reduction.h"
#include "split/sweep/sweep_result.h"

namespace hone::split {

/// A way to split a problem, together with all limits that give the same tile sizes: they are
/// compiled and measured once.
struct Choice {
  std::vector<std::int64_t> sizes;  ///< empty: not split, or split by a rebuilt compiler
  std::string label;                ///< distinguishes choices without sizes
  std::vector<std::int64_t> limits;
  bool isBaseline = false;
  bool isNoSplit = false;
  bool isRecommended = false;  ///< compiled by a compiler built with the recommended code

  /// Returns "baseline, limit 64, limit 128".
  [[nodiscard]] std::string name() const;
  [[nodiscard]] iree::SplitSizes splitSizes() const;
};

/// Returns the distinct choices for the baseline, no split and the limits; the baseline's is first.
/// `compilersOwn` are the tile sizes of the compiler's default. No reduction means that the
/// compiler never splits the operation.
[[nodiscard]] std::vector<Choice> choicesFor(const std::optional<model::Reduction>& reduction,
                                             const std::vector<std::int64_t>& compilersOwn,
                                             std::span<const std::int64_t> limits);

/// Returns the tile sizes of the oracle: the fastest split that the sweep measured for this shape.
/// It is the upper bound for any heuristic. Returns nullopt if that is the compiler's default.
[[nodiscard]] std::optional<std::vector<std::int64_t>> oracleSizes(const ShapeResult& shape);

/// A problem compiled with all its choices.
struct CompiledProblem {
  iree::CompileReport report;  ///< ok, or the reason for missing choices
  std::optional<model::Reduction> reduction;
  std::vector<Choice> choices;
  std::vector<iree::SplitCompiled> compiled;  ///< one per choice
};

/// Compiles problems with all their choices. Each request's source contains one problem as its only
/// function.
using ChoiceCompiler =
    std::function<Result<std::vector<CompiledProblem>>(std::span<const iree::CompileRequest>)>;

/// Compiles with an attribute on the operation, using the unmodified compiler.
[[nodiscard]] ChoiceCompiler attributeChoices(iree::Compiler& compiler,
                                              std::vector<std::int64_t> limits);

}  // namespace hone::split
