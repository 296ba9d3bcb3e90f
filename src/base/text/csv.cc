#include "base/text/csv.h"

#include <utility>

namespace hone {
namespace {

class CsvParser {
 public:
  explicit CsvParser(std::string_view text) : text_(text) {}

  Result<std::vector<CsvRow>> parse() {
    while (at_ < text_.size()) {
      CsvRow row{line_, {}};
      do {
        row.cells.push_back(HONE_TRY(cell()));
      } while (consume(","));
      // A cell ends only at a comma, a line end, or the end of the text.
      if (consume("\n") || consume("\r\n")) {
        ++line_;
      }
      rows_.push_back(std::move(row));
    }
    return std::move(rows_);
  }

 private:
  bool consume(std::string_view what) {
    const bool matched = text_.substr(at_).starts_with(what);
    at_ += matched ? what.size() : 0;
    return matched;
  }

  [[nodiscard]] bool atCellEnd() const {
    const std::string_view left = text_.substr(at_);
    return left.empty() || left.starts_with(',') || left.starts_with('\n') ||
           left.starts_with("\r\n");
  }

  Result<std::string> cell() {
    std::string value;
    if (consume("\"")) {
      HONE_CHECK(quoted(value));
    }
    while (!atCellEnd()) {
      value += text_[at_++];
    }
    return value;
  }

  Result<void> quoted(std::string& value) {
    const std::int64_t opened = line_;
    while (at_ < text_.size()) {
      if (consume("\"\"")) {
        value += '"';
      } else if (consume("\"")) {
        return {};
      } else {
        line_ += text_[at_] == '\n' ? 1 : 0;
        value += text_[at_++];
      }
    }
    return userError("line {}: unclosed quote", opened);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
  std::vector<CsvRow> rows_;
};

}  // namespace

Result<std::vector<CsvRow>> parseCsv(std::string_view text) { return CsvParser(text).parse(); }

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
