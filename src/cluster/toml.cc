#include "cluster/toml.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/text.h"

namespace hone::cluster {
namespace {

bool isKey(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
}

/// One line of the file, read from left to right.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(trim(line)) {}

  [[nodiscard]] std::optional<TomlValue> value() {
    skipBlanks();
    if (rest_.starts_with('"')) {
      return text();
    }
    if (rest_.starts_with('[')) {
      return list();
    }
    const std::size_t end = std::min(rest_.find('#'), rest_.size());
    const std::string word(trim(rest_.substr(0, end)));
    rest_.remove_prefix(end);
    if (word == "true" || word == "false") {
      return word == "true";
    }
    const auto number = parseDouble(word);
    return number ? std::optional<TomlValue>(*number) : std::nullopt;
  }
  /// Nothing is left but a comment.
  [[nodiscard]] bool atEnd() {
    skipBlanks();
    return rest_.empty() || rest_.starts_with('#');
  }

 private:
  void skipBlanks() { rest_ = trim(rest_); }

  /// "…" with \" and \\ in it.
  [[nodiscard]] std::optional<std::string> text() {
    std::string text;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '"') {
        rest_.remove_prefix(i + 1);
        return text;
      }
      if (rest_[i] == '\\') {
        ++i;
        if (i >= rest_.size() || (rest_[i] != '"' && rest_[i] != '\\')) {
          return std::nullopt;
        }
      }
      text += rest_[i];
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::vector<std::string>> list() {
    std::vector<std::string> values;
    rest_.remove_prefix(1);
    skipBlanks();
    while (!rest_.starts_with(']')) {
      auto value = rest_.starts_with('"') ? text() : std::nullopt;
      skipBlanks();
      if (!value || (!rest_.starts_with(',') && !rest_.starts_with(']'))) {
        return std::nullopt;
      }
      values.push_back(std::move(*value));
      if (rest_.starts_with(',')) {
        rest_.remove_prefix(1);
        skipBlanks();
      }
    }
    rest_.remove_prefix(1);
    return values;
  }

  std::string_view rest_;
};

}  // namespace

Result<std::vector<TomlEntry>> tomlFrom(std::string_view text, const std::string& file) {
  std::vector<TomlEntry> entries;
  std::string section;
  int number = 0;
  for (const std::string& whole : splitAt(text, '\n')) {
    ++number;
    const std::string line(trim(whole));
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    if (line.starts_with('[')) {
      const std::size_t end = line.find(']');
      section = end == std::string::npos ? "" : line.substr(1, end - 1);
      if (!isKey(section) || !LineReader(line.substr(end + 1)).atEnd()) {
        return userError("{}:{}: '{}' is not a [section]", file, number, line);
      }
      continue;
    }
    const std::size_t equals = line.find('=');
    const std::string key(trim(line.substr(0, std::min(equals, line.size()))));
    LineReader reader(equals == std::string::npos ? "" : std::string_view(line).substr(equals + 1));
    auto value = reader.value();
    if (!isKey(key) || !value || !reader.atEnd()) {
      return userError(
          "{}:{}: '{}' is not `key = value` with a \"text\", a number, true, false or "
          "a list of texts",
          file, number, line);
    }
    const bool twice = std::any_of(entries.begin(), entries.end(), [&](const TomlEntry& one) {
      return one.section == section && one.key == key;
    });
    if (twice) {
      return userError("{}:{}: '{}' is given twice", file, number, key);
    }
    entries.push_back({section, key, std::move(*value), number});
  }
  return entries;
}

}  // namespace hone::cluster
