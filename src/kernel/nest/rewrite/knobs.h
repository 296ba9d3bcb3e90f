#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace hone::kernel::nest {

/// The knob values of one rewrite, by name. A rewrite changes a normalized function and returns
/// true, or returns false and leaves the function unchanged if nothing applies or dependences
/// forbid it. Results may differ by rounding.
using Knobs = std::map<std::string, std::int64_t, std::less<>>;

}  // namespace hone::kernel::nest
