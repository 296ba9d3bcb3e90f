#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone::split {

/// A half-open range of byte offsets in a source.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A range of the text and its replacement; an empty range is an insertion.
struct Edit {
  TextRange place;
  std::string text;
};

/// Sorts the edits, which must not overlap, and applies them. Edits at one place keep their order.
[[nodiscard]] std::string edited(std::string_view text, std::vector<Edit>& edits);

/// Returns true if `after` equals `before` outside the edits, which must be sorted.
[[nodiscard]] bool sameOutside(std::string_view before, std::string_view after,
                               std::span<const Edit> edits);

/// Returns the line end of the line that contains the offset.
[[nodiscard]] std::string_view lineEndAt(std::string_view text, std::size_t offset);
/// Returns the indentation before the offset; "" if other text precedes it in its line.
[[nodiscard]] std::string indentAt(std::string_view text, std::size_t offset);
/// Returns the offset of the first character of the line.
[[nodiscard]] std::size_t lineStart(std::string_view text, std::size_t offset);
/// Returns the offset after the line end; the size of the text in the last line.
[[nodiscard]] std::size_t lineAfter(std::string_view text, std::size_t offset);
[[nodiscard]] bool restOfLineIsBlank(std::string_view text, std::size_t offset);

}  // namespace hone::split
