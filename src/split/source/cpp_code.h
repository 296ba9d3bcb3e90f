#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "split/fit/heuristic.h"

namespace hone::split {

/// A size as C++ that a person reads at a glance: "128 * 128", "96 * 100"; a prime as itself,
/// and a value that a product of ints cannot have.
[[nodiscard]] std::string productText(std::int64_t value);

/// A constant of the compiler's code.
struct NamedConstant {
  std::string name;  ///< "largeParallelSize"
  std::int64_t value = 0;
};

/// The constants of the early returns, by the names they have in the heuristic's form and function.
[[nodiscard]] std::vector<NamedConstant> constantsOf(const Heuristic& heuristic);
/// The compiler's function that they stand in: "getMatmulLikeReductionSizes".
[[nodiscard]] std::string functionOf(const Heuristic& heuristic);

/// The code that gives the limit, as lines without line ends, indented as within a function: the
/// chain from `int64_t limitParallelLoops;` on, or the body of the function that returns it.
[[nodiscard]] std::vector<std::string> ladderCode(const Heuristic& heuristic);

}  // namespace hone::split
