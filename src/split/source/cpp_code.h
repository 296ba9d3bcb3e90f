#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

/// The variable of emitted code that is true for sizes in the measured range.
inline constexpr std::string_view kMeasuredName = "isMeasured";
/// Start of the comment above its declaration.
inline constexpr std::string_view kMeasuredComment = "// Fitted to ";

/// The place of a declaration of `isMeasured`.
struct MeasuredScope {
  std::string output, reduction;  ///< expressions for the sizes
  std::string_view kept;          ///< rules that decide about other sizes: "the rules below"
  std::string indent;
  bool hasLowParallelism = false;  ///< targets with low parallelism keep these rules, too
};

/// Returns `start` and the conditions joined by `&&`, with line breaks where needed, aligned after
/// `start`, and `end` after the last one.
[[nodiscard]] std::vector<std::string> joinConditions(const std::string& start,
                                                      const std::vector<std::string>& conditions,
                                                      std::string_view end);

/// Returns a comment and the declaration of `isMeasured`.
[[nodiscard]] std::vector<std::string> measuredDeclaration(const MeasuredRange& range,
                                                           const MeasuredScope& scope);

/// Returns the code at the start of the function that returns the limit. It decides about sizes in
/// the measured range; the rest of the function decides about the others.
[[nodiscard]] std::vector<std::string> limitFunctionStart(const Heuristic& heuristic,
                                                          const std::string& indent,
                                                          bool hasLowParallelism);

/// Returns the emitted code of the ladder for the compiler's own source of the heuristic's form, as
/// lines without line ends, indented as within a function. The compiler's rules for other sizes
/// follow it. In a chain they are the else of its last line.
[[nodiscard]] std::vector<std::string> ladderCode(const Heuristic& heuristic);
/// Like ladderCode(), for the early returns. Constants that are equal to the compiler's are
/// unchanged; the others apply to the measured range.
[[nodiscard]] std::vector<std::string> earlyReturnCode(const Heuristic& heuristic);

}  // namespace hone::split
