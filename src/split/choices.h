#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "iree/split_compile.h"
#include "model/reduction.h"

namespace hone::split {

/// One way to split a problem, and all that it stands for: limits that give the same sizes are
/// compiled and measured once.
struct Choice {
  std::vector<std::int64_t> sizes;  ///< none: not split
  std::vector<std::int64_t> limits;
  bool isBaseline = false;
  bool isNoSplit = false;

  /// "baseline, limit 64, limit 128".
  [[nodiscard]] std::string name() const;
  [[nodiscard]] iree::SplitSizes splitSizes() const;
};

/// What a decision of the compiler's code means for the operation: the sizes of a limit's parts;
/// none where there is no limit, or none that it finds factors for.
[[nodiscard]] std::vector<std::int64_t> sizesUnder(const model::Reduction& reduction,
                                                   std::optional<std::int64_t> limit);

/// The baseline, no split and the limits, each way once; the baseline's first. `compilersOwn` are
/// the sizes that the compiler chose; no reduction: it never splits the operation.
[[nodiscard]] std::vector<Choice> choicesFor(const std::optional<model::Reduction>& reduction,
                                             const std::vector<std::int64_t>& compilersOwn,
                                             std::span<const std::int64_t> limits);

}  // namespace hone::split
