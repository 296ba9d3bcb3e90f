#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"

namespace hone::cluster {

/// A value of a file of settings.
using TomlValue = std::variant<std::string, double, bool, std::vector<std::string>>;

struct TomlEntry {
  std::string section;  ///< "" for keys above the first section
  std::string key;
  TomlValue value;
  int line = 0;
};

/// Parses a TOML file of [sections] with `key = value`, and returns its entries in their order.
/// Fails with a user error that names the file and the line if it is not TOML, or if a value is
/// neither a text, a finite number, a boolean nor a list of texts.
[[nodiscard]] Result<std::vector<TomlEntry>> tomlFrom(std::string_view text,
                                                      const std::string& file);

}  // namespace hone::cluster
