#include "cluster/settings/toml.h"

// NOLINTBEGIN(cppcoreguidelines-macro-usage): toml++ is configured by macros
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// NOLINTEND(cppcoreguidelines-macro-usage)
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text/text.h"

namespace hone::cluster {
namespace {

/// An entry with its column, for sorting entries on the same line.
struct PlacedEntry {
  TomlEntry entry;
  toml::source_index column = 0;
};

std::optional<TomlValue> listFrom(const toml::array& array) {
  std::vector<std::string> values;
  for (const toml::node& element : array) {
    const auto* text = element.as_string();
    if (text == nullptr) {
      return std::nullopt;
    }
    values.push_back(text->get());
  }
  return values;
}

std::optional<TomlValue> valueFrom(const toml::node& node) {
  if (const auto* text = node.as_string()) {
    return text->get();
  }
  if (const auto* boolean = node.as_boolean()) {
    return boolean->get();
  }
  if (const auto* array = node.as_array()) {
    return listFrom(*array);
  }
  const auto number = node.is_number() ? node.value<double>() : std::nullopt;
  return number && std::isfinite(*number) ? std::optional<TomlValue>(*number) : std::nullopt;
}

/// Converts the entry of a key; fails with a user error if its value has an unsupported type.
Result<PlacedEntry> entryFrom(const std::string& file, std::string_view section,
                              const toml::key& key, const toml::node& node) {
  const toml::source_position at = key.source().begin;
  auto value = valueFrom(node);
  if (!value) {
    return userError(
        "{}:{}: invalid value of '{}'; expected a string, number, boolean or list of strings", file,
        at.line, key.str());
  }
  return PlacedEntry{.entry = {.section = std::string(section),
                               .key = std::string(key.str()),
                               .value = std::move(*value),
                               .line = static_cast<int>(at.line)},
                     .column = at.column};
}

/// Describes a parse error with its source line.
Error describeError(const toml::parse_error& error, std::string_view text,
                    const std::string& file) {
  const auto number = std::max<toml::source_index>(error.source().begin.line, 1);
  const std::vector<std::string> lines = splitAt(text, '\n');
  const std::string_view line = number <= lines.size() ? trim(lines[number - 1]) : "";
  return {Fault::user, fmt::format("{}:{}: '{}': {}", file, number, line, error.description()),
          false};
}

}  // namespace

Result<std::vector<TomlEntry>> tomlFrom(std::string_view text, const std::string& file) {
  const toml::parse_result parsed = toml::parse(text, file);
  if (!parsed) {
    return std::unexpected(describeError(parsed.error(), text, file));
  }
  std::vector<PlacedEntry> placed;
  for (const auto& [name, node] : parsed.table()) {
    const toml::table* section = node.as_table();
    if (section == nullptr) {
      placed.push_back(HONE_TRY(entryFrom(file, "", name, node)));
      continue;
    }
    for (const auto& [key, value] : *section) {
      placed.push_back(HONE_TRY(entryFrom(file, name.str(), key, value)));
    }
  }
  // toml++ orders keys by name.
  std::ranges::sort(placed, {},
                    [](const PlacedEntry& one) { return std::pair(one.entry.line, one.column); });
  std::vector<TomlEntry> entries;
  for (PlacedEntry& one : placed) {
    entries.push_back(std::move(one.entry));
  }
  return entries;
}

}  // namespace hone::cluster
