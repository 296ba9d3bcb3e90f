#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone {

/// Builds a table of comma-separated values with the quoting of RFC 4180. Lines end in a bare
/// newline, for the tools of a shell.
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
  std::int64_t line = 0;           ///< where it begins in the text, from 1
  std::vector<std::string> cells;  ///< of a blank line one empty cell

  bool operator==(const CsvRow&) const = default;
};

/// The rows of a table with the quoting of RFC 4180, ragged where the text is. Lines end in a
/// newline or in CR and newline; the last needs no end. A quote that is never closed is an error.
[[nodiscard]] Result<std::vector<CsvRow>> parseCsv(std::string_view text);

}  // namespace hone
