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

/// One way to split a problem, and all that it stands for: limits that give the same sizes are
/// compiled and measured once.
struct Choice {
  std::vector<std::int64_t> sizes;  ///< none: not split, or split by a compiler that was rebuilt
  std::string label;                ///< tells it from others without sizes
  std::vector<std::int64_t> limits;
  bool isBaseline = false;
  bool isNoSplit = false;

  /// "baseline, limit 64, limit 128".
  [[nodiscard]] std::string name() const;
  [[nodiscard]] iree::SplitSizes splitSizes() const;
};

/// The baseline, no split and the limits, each way once; the baseline's first. `compilersOwn` are
/// the sizes that the compiler chose; no reduction: it never splits the operation.
[[nodiscard]] std::vector<Choice> choicesFor(const std::optional<model::Reduction>& reduction,
                                             const std::vector<std::int64_t>& compilersOwn,
                                             std::span<const std::int64_t> limits);

/// The sizes of the fastest way that a sweep saw; nothing where that is the compiler's own choice.
[[nodiscard]] std::optional<std::vector<std::int64_t>> oracleSizes(const ShapeResult& shape);

/// A problem in every way that it is to be measured.
struct CompiledProblem {
  iree::CompileReport report;  ///< ok, or why there are no choices
  std::optional<model::Reduction> reduction;
  std::vector<Choice> choices;
  std::vector<iree::SplitCompiled> compiled;  ///< one a choice
};

/// Compiles problems, each the only function of its request's source, in all their choices.
using ChoiceCompiler =
    std::function<Result<std::vector<CompiledProblem>>(std::span<const iree::CompileRequest>)>;

/// By an attribute on the operation, with the compiler as it is.
[[nodiscard]] ChoiceCompiler attributeChoices(iree::Compiler& compiler,
                                              std::vector<std::int64_t> limits);

}  // namespace hone::split
