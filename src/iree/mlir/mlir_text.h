#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone::iree {

// Small pieces of MLIR as its printer writes them, read.

/// Reads the integers of a printed list: "array<i32: 0, 2>", "[0 : index, -1 : index]"; returns
/// none for "array<i64>".
[[nodiscard]] std::vector<std::int64_t> numbersIn(std::string list);

/// "name" of the symbol reference "@name" or "@\"na me\"".
[[nodiscard]] std::string symbolOf(const std::string& reference);

}  // namespace hone::iree
