#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/problem/reduction.h"

namespace hone::split {

/// Returns the tile sizes, one per reduction loop, that the compiler derives from a limit on the
/// number of parts. Returns nullopt if it finds no factor and does not split. The limit must be
/// positive.
[[nodiscard]] std::optional<std::vector<std::int64_t>> sizesFor(const model::Reduction& reduction,
                                                                std::int64_t limit);

/// Like sizesFor, but returns an empty list if there is no limit or no factor: not split.
[[nodiscard]] std::vector<std::int64_t> sizesUnder(const model::Reduction& reduction,
                                                   std::optional<std::int64_t> limit);

/// Returns the limit that IREE 3.13 chooses in its function for the reduction's kind; nullopt if it
/// does not split the operation.
[[nodiscard]] std::optional<std::int64_t> compilersLimit(const model::Reduction& reduction);

/// Chooses a limit for a reduction of either kind; nullopt: do not split.
using LimitChooser = std::function<std::optional<std::int64_t>(const model::Reduction&)>;

/// Returns the tile sizes that the pass derives from these limits; empty: not split. A convolution
/// that its own function does not split is tried as a matmul.
[[nodiscard]] std::vector<std::int64_t> sizesUnder(const model::Reduction& reduction,
                                                   const LimitChooser& limitFor);

}  // namespace hone::split
