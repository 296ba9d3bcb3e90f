#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

[[nodiscard]] std::vector<std::string> splitAt(std::string_view text, char separator);
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);
/// Removes blanks, tabs and line ends at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);
/// Returns true for ASCII letters, digits and underscores.
[[nodiscard]] bool isWordCharacter(char c);
/// Converts ASCII letters to lower case.
[[nodiscard]] std::string toLower(std::string_view text);
/// Parses all of `text` as a number; returns nullopt for text such as "12x", "nan" or "inf".
[[nodiscard]] std::optional<std::int64_t> parseInt(std::string_view text);
[[nodiscard]] std::optional<double> parseDouble(std::string_view text);
/// Splits `text` into words like a shell: at white space, with '…', "…" and \ escapes. Returns
/// nullopt if a quote is not closed.
[[nodiscard]] std::optional<std::vector<std::string>> shellWords(std::string_view text);
/// Returns the number of characters in UTF-8 text.
[[nodiscard]] std::size_t characterCount(std::string_view text);
/// Returns true if the text has a control character, also a newline or a tab.
[[nodiscard]] bool hasControlCharacters(std::string_view text);
/// Makes text from inputs safe for a terminal: control characters except newlines and tabs become
/// "?", and lines are shortened to 400 characters.
[[nodiscard]] std::string printable(std::string_view text);
/// Truncates UTF-8 text to `width` characters, including "..." at the end.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);
/// Truncates UTF-8 text to `width` characters, including "..." in the middle: both ends
/// identify a long name.
[[nodiscard]] std::string shortenedInside(std::string_view text, std::size_t width);
/// Returns the Levenshtein distance.
[[nodiscard]] std::size_t editDistance(std::string_view a, std::string_view b);
/// Returns the candidate nearest to `word` by edit distance, for "did you mean", or nullopt if none
/// is near.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> candidates);
/// Formats a time with three digits and a unit: "12.3 ms".
[[nodiscard]] std::string humanTime(double nanoseconds);

}  // namespace hone
