#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/reduction.h"

namespace hone::split {

/// The tile sizes, one a loop of the sum, that the compiler makes of a limit on how many parts a
/// reduction may be split into. Nothing where it finds no factor and leaves the operation alone.
/// The limit must be positive.
[[nodiscard]] std::optional<std::vector<std::int64_t>> sizesFor(const model::Reduction& reduction,
                                                                std::int64_t limit);

/// The limit that IREE 3.13 chooses by itself; nothing where it does not split.
[[nodiscard]] std::optional<std::int64_t> compilersLimit(const model::Reduction& reduction);

}  // namespace hone::split
