#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "kernel/nest/nest.h"

namespace hone::kernel::nest {

/// The functions of <cmath> and <algorithm> that rewrites understand.
enum class Math : std::uint8_t { none, exp, tanh, sqrt, max, min, abs };

/// By any of its names: "expf" and "std::exp" are the same.
[[nodiscard]] Math lookupMath(std::string_view function);

/// Whether there is a float in it, as a name, an element or a number.
[[nodiscard]] bool computesFloat(const Function& function, const Expr& expression);

/// Brings equal things to one form: pointers into arrays and integer constants are put where they
/// are used, `if (x > m) m = x` is a maximum, functions have one name. What the kernel computes
/// stays. A kernel that calls other functions, or uses a loop's variable twice, is a user error.
[[nodiscard]] Result<Function> normalize(Function function);

}  // namespace hone::kernel::nest
