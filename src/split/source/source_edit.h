#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "split/fit/heuristic.h"

namespace hone::split {

/// Returns the text of SetSplitReductionSizes.cpp with new heuristics, at most one per kind of
/// operation, which replace earlier ones. Within the measured range of a heuristic, the result
/// decides exactly like it; everywhere else, like the text. The rest of the text, including line
/// ends, is unchanged. Returns a user error with the line of code that hone does not understand, or
/// if a heuristic has another form than the text. `file` is used in messages only.
[[nodiscard]] Result<std::string> withHeuristics(std::string_view text,
                                                 const std::filesystem::path& file,
                                                 std::span<const Heuristic> heuristics);

/// Returns the text without the edits of withHeuristics.
[[nodiscard]] Result<std::string> withoutHeuristics(std::string_view text,
                                                    const std::filesystem::path& file);

/// Returns the text with a fixed limit for both kinds and with the early returns disabled. The
/// original code stays between `#if 0` and `#endif`.
[[nodiscard]] Result<std::string> withFixedLimit(std::string_view text,
                                                 const std::filesystem::path& file,
                                                 std::int64_t limit);

}  // namespace hone::split
