#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "split/fit/heuristic.h"

namespace hone::split {

/// Returns a size as a readable C++ product: "128 * 128", "96 * 100". Primes and values that
/// overflow a product of ints are returned as a single number.
[[nodiscard]] std::string productText(std::int64_t value);

/// A constant of the compiler's code.
struct NamedConstant {
  std::string name;  ///< "largeParallelSize"
  std::int64_t value = 0;
};

/// Returns the constants of the early returns, under their names in the heuristic's form and
/// function.
[[nodiscard]] std::vector<NamedConstant> listConstants(const Heuristic& heuristic);
/// Returns the compiler's function that contains them: "getMatmulLikeReductionSizes".
[[nodiscard]] std::string functionName(const Heuristic& heuristic);

/// Returns the C++ code of the whole ladder, as lines without line ends, indented as within a
/// function. This is the chain from `int64_t limitParallelLoops;` on, or the body of the function
/// that returns the limit. Code that does not split returns std::nullopt.
[[nodiscard]] std::vector<std::string> ladderCode(const Heuristic& heuristic);

/// Expressions that a ladder compares or returns.
struct LadderNames {
  std::string output, reduction;
  std::string start;  ///< size of the loop that is split first
};

/// The way a ladder gives its limit: it sets limitParallelLoops, or returns it.
enum class LadderStyle : std::uint8_t { chain, returns };

/// Returns the code of the ladder for sizes in the heuristic's measured range, without conditions
/// that are always true or false there. The lines are not indented.
[[nodiscard]] std::vector<std::string> measuredLadder(const Heuristic& heuristic,
                                                      const LadderNames& names, LadderStyle style);

}  // namespace hone::split
