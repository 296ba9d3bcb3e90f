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
[[nodiscard]] std::string_view trim(std::string_view text);
/// Returns true for ASCII letters, digits and underscores.
[[nodiscard]] bool isWordCharacter(char c);
/// Returns the text with ASCII letters in lower case.
[[nodiscard]] std::string toLower(std::string_view text);
/// The whole text as a number, or nothing: "12x" is not a number, nor are "nan" and "inf".
[[nodiscard]] std::optional<std::int64_t> parseInt(std::string_view text);
[[nodiscard]] std::optional<double> parseDouble(std::string_view text);
/// Words as a shell would split them: blanks, '…', "…", and \ before a character.
/// Nothing when a quote is not closed.
[[nodiscard]] std::optional<std::vector<std::string>> shellWords(std::string_view text);
/// Returns the number of characters in UTF-8 text.
[[nodiscard]] std::size_t characterCount(std::string_view text);
/// At most `width` characters of UTF-8, the cut shown by an ellipsis.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);
/// The same with the cut in the middle: both ends of a long name tell it from others.
[[nodiscard]] std::string shortenedInside(std::string_view text, std::size_t width);
/// How many characters are to be put in, taken out or replaced to make one of the other.
[[nodiscard]] std::size_t editDistance(std::string_view a, std::string_view b);
/// The candidate nearest to the word by edit distance, for "did you mean"; nothing when all are
/// far.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> candidates);
/// A time for a person, three digits and a unit: "12.3 ms".
[[nodiscard]] std::string humanTime(double nanoseconds);

}  // namespace hone
