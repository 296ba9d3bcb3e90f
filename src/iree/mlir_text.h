#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hone::iree {

// Small pieces of MLIR as its printer writes them, read.

/// The numbers of "array<i32: 0, 1>" or "array<i64: 16>"; none of "array<i64>".
[[nodiscard]] std::vector<std::int64_t> numbersOf(const std::string& array);

/// The loops that index an operand, one a dimension of it; nothing for a sum such as d1 + d4.
[[nodiscard]] std::vector<std::optional<std::size_t>> loopsOfMap(const std::string& map);

/// "name" of the symbol reference "@name" or "@\"na me\"".
[[nodiscard]] std::string symbolOf(const std::string& reference);

}  // namespace hone::iree
