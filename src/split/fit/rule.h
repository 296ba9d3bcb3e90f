#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/problem/reduction.h"

namespace hone::split {

/// The tile sizes, one a loop of the sum, that the compiler makes of a limit on how many parts a
/// reduction may be split into. Nothing where it finds no factor and leaves the operation alone.
/// The limit must be positive.
[[nodiscard]] std::optional<std::vector<std::int64_t>> sizesFor(const model::Reduction& reduction,
                                                                std::int64_t limit);

/// The same with none for no limit, or one without factors: not split.
[[nodiscard]] std::vector<std::int64_t> sizesUnder(const model::Reduction& reduction,
                                                   std::optional<std::int64_t> limit);

/// The limit that IREE 3.13 chooses by itself in its function for the reduction's kind; nothing
/// where that leaves the operation alone.
[[nodiscard]] std::optional<std::int64_t> compilersLimit(const model::Reduction& reduction);

/// A limit for a reduction of either kind; nothing: leave it alone.
using LimitChooser = std::function<std::optional<std::int64_t>(const model::Reduction&)>;

/// What the pass makes of an operation with the limits given: a convolution that its own function
/// leaves alone is tried as a matmul. None: not split.
[[nodiscard]] std::vector<std::int64_t> sizesUnder(const model::Reduction& reduction,
                                                   const LimitChooser& limitFor);

}  // namespace hone::split
