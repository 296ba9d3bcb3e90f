#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone::iree {

// Small pieces of MLIR as its printer writes them, read.

/// The numbers of "array<i32: 0, 1>" or "array<i64: 16>"; none of "array<i64>".
[[nodiscard]] std::vector<std::int64_t> numbersOf(const std::string& array);

/// "name" of the symbol reference "@name" or "@\"na me\"".
[[nodiscard]] std::string symbolOf(const std::string& reference);

}  // namespace hone::iree
