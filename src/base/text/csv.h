#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone {

/// Writes CSV with RFC 4180 quoting. Lines end in a bare newline, for shell tools.
class CsvWriter {
 public:
  void row(std::initializer_list<std::string_view> cells);
  void row(std::span<const std::string> cells);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void cell(std::string_view value, bool first);

  std::string text_;
};

struct CsvRow {
  std::int64_t line = 0;           ///< first line in the text, from 1
  std::vector<std::string> cells;  ///< one empty cell for a blank line

  bool operator==(const CsvRow&) const = default;
};

/// Parses CSV with RFC 4180 quoting; fails if a quote is not closed. Rows may differ in length.
/// Lines end in LF or CRLF; the last line needs no terminator.
[[nodiscard]] Result<std::vector<CsvRow>> parseCsv(std::string_view text);

}  // namespace hone
