#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "split/fit/heuristic.h"

namespace hone::split {

/// The text of a SetSplitReductionSizes.cpp with other heuristics in it: for one kind of operation,
/// or one for each. Read back, it has exactly these; nothing else in it is changed, line ends
/// included. A text that hone does not understand, and heuristics of another form than the text's,
/// are a user error. `file` is only named in messages.
[[nodiscard]] Result<std::string> withHeuristics(std::string_view text,
                                                 const std::filesystem::path& file,
                                                 std::span<const Heuristic> heuristics);

/// The text with the limit fixed for both kinds and no operation left alone for its size: the old
/// code stays, between `#if 0` and `#endif`, and the early returns are switched off.
[[nodiscard]] Result<std::string> withFixedLimit(std::string_view text,
                                                 const std::filesystem::path& file,
                                                 std::int64_t limit);

}  // namespace hone::split
