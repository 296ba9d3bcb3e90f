#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace hone::kernel {

/// Returns true if the text has the form of a unified diff: hunks, or the two lines of file names.
[[nodiscard]] bool isDiff(std::string_view text);

/// Applies a unified diff to one file. Models often miscount lines, so a hunk is found by its
/// context and its removed lines; the line number only selects among several matches. White space
/// at the ends of lines is ignored. Returns the changed text, or one line that names the hunk that
/// does not fit.
[[nodiscard]] std::expected<std::string, std::string> applyDiff(std::string_view base,
                                                                std::string_view diff);

}  // namespace hone::kernel
