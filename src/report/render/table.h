#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::report {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string heading;
  Align align = Align::left;
  /// May be cut down to this many characters when the table is too wide; 0 is never cut.
  std::size_t shrinkTo = 0;
};

/// A table in plain text: aligned columns two spaces apart, no lines drawn, no blanks at the end.
/// Widths count characters of UTF-8; line breaks and other control characters become blanks.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Missing cells are empty.
  void add(std::vector<std::string> cells);
  /// A line for the headings, where there are any, and one a row. At most `width` wide (0: no
  /// limit) as far as the columns may shrink: the widest gives way first, and the cut is shown by
  /// an ellipsis.
  [[nodiscard]] std::string text(std::size_t width = 0) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths(std::size_t limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// The columns of the terminal on stdout, or 80 where there is none.
[[nodiscard]] std::size_t outputWidth();

}  // namespace hone::report
