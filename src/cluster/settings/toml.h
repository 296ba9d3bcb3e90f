#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"

namespace hone::cluster {

/// A value of a settings file.
using TomlValue = std::variant<std::string, double, bool, std::vector<std::string>>;

struct TomlEntry {
  std::string section;  ///< "" for keys before the first section
  std::string key;
  TomlValue value;
  int line = 0;
};

/// Parses a TOML file of [sections] with `key = value` and returns the entries in file order. Fails
/// with a user error that names the file and line on a syntax error. Values must be strings, finite
/// numbers, booleans or lists of strings.
[[nodiscard]] Result<std::vector<TomlEntry>> tomlFrom(std::string_view text,
                                                      const std::string& file);

}  // namespace hone::cluster
