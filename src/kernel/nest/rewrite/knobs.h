#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace hone::kernel::nest {

/// Values of the knobs of one rewrite, by name. Every rewrite of this folder changes a normalized
/// function and returns true if it found something to change that the dependences allow; otherwise
/// the function stays as it was. Results may differ in rounding.
using Knobs = std::map<std::string, std::int64_t, std::less<>>;

}  // namespace hone::kernel::nest
