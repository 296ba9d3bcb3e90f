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
  /// Minimum width when the table is too wide; 0: never cut.
  std::size_t shrinkTo = 0;
};

/// Plain-text table with aligned columns two spaces apart and no trailing blanks. Widths count
/// UTF-8 characters; control characters, including line breaks, become blanks.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Adds a row; missing cells are empty.
  void add(std::vector<std::string> cells);
  /// Formats one line for the headings, if any, and one per row. Columns shrink to fit `width` (0:
  /// no limit), widest first; an ellipsis marks a cut.
  [[nodiscard]] std::string text(std::size_t width = 0) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths(std::size_t limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Returns the width of the terminal on stdout, or 80 without a terminal.
[[nodiscard]] std::size_t outputWidth();

}  // namespace hone::report
