#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

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

}  // namespace hone
