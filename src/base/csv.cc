#include "base/csv.h"

#include <utility>

namespace hone {

void CsvWriter::row(std::initializer_list<std::string_view> cells) {
  bool first = true;
  for (const std::string_view value : cells) {
    cell(value, std::exchange(first, false));
  }
  text_ += '\n';
}

void CsvWriter::row(std::span<const std::string> cells) {
  bool first = true;
  for (const std::string& value : cells) {
    cell(value, std::exchange(first, false));
  }
  text_ += '\n';
}

void CsvWriter::cell(std::string_view value, bool first) {
  if (!first) {
    text_ += ',';
  }
  if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
    text_ += value;
    return;
  }
  text_ += '"';
  for (const char c : value) {
    text_.append(c == '"' ? 2 : 1, c);
  }
  text_ += '"';
}

}  // namespace hone
