#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::iree {

/// Shapes of the inputs of a function; nullopt: as declared.
using InputShapes = std::vector<std::optional<std::vector<std::int64_t>>>;

/// Returns a printed module in which the inputs of a function, and of its asynchronous form, have
/// these shapes. The module must have completed the phase `abi`: inputs are imported buffer views.
/// Canonicalization in later phases propagates the shapes.
[[nodiscard]] std::string fixInputShapes(std::string_view module, const std::string& function,
                                         const InputShapes& shapes);

}  // namespace hone::iree
