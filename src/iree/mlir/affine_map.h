#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace hone::iree {

/// The index of one dimension of an operand as a function of the loops.
struct AffineIndex {
  std::vector<std::size_t> loops;  ///< the loops it depends on, ascending: {1, 4} for "d1 * 2 + d4"
  std::optional<std::size_t> only;  ///< set if the index is exactly one loop
};

/// Parses the results of a printed map, "affine_map<(d0, d1) -> (d1, d0 + 1)>". Returns an empty
/// list for any other text.
[[nodiscard]] std::vector<AffineIndex> affineIndices(std::string_view map);

}  // namespace hone::iree
