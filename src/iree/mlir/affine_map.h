#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace hone::iree {

/// The index of one dimension of an operand, by the loops around it.
struct AffineIndex {
  std::vector<std::size_t> loops;   ///< that it depends on, ascending: {1, 4} of "d1 * 2 + d4"
  std::optional<std::size_t> only;  ///< the loop that it is, where it is nothing but one
};

/// Reads the results of a map as MLIR prints it, "affine_map<(d0, d1) -> (d1, d0 + 1)>"; none of
/// what is no such map.
[[nodiscard]] std::vector<AffineIndex> affineIndices(std::string_view map);

}  // namespace hone::iree
