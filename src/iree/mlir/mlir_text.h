#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone::iree {

// Parses small pieces of printed MLIR.

/// Parses the integers of a printed list: "array<i32: 0, 2>", "[0 : index, -1 : index]". Returns an
/// empty list for "array<i64>".
[[nodiscard]] std::vector<std::int64_t> numbersIn(std::string list);

/// Returns the name in a symbol reference: "name" for "@name", "na me" for "@\"na me\"".
[[nodiscard]] std::string parseSymbol(const std::string& reference);

}  // namespace hone::iree
