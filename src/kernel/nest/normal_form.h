#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "kernel/nest/nest.h"

namespace hone::kernel::nest {

/// The functions of <cmath> and <algorithm> that rewrites support.
enum class Math : std::uint8_t { none, exp, tanh, sqrt, max, min, abs };

/// Returns the function for any of its names: "expf" and "std::exp" are the same.
[[nodiscard]] Math lookupMath(std::string_view function);

/// Returns true if the expression contains a float name, element or number.
[[nodiscard]] bool computesFloat(const Function& function, const Expr& expression);

/// Converts a function to a canonical form with the same results: pointers into arrays and integer
/// constants are inlined, `if (x > m) m = x` becomes a maximum, and each function has one name.
/// Returns a user error if the kernel calls other functions or shadows a loop variable.
[[nodiscard]] Result<Function> normalize(Function function);

}  // namespace hone::kernel::nest
