#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"

namespace hone::cluster {

/// A value of a file of settings.
using TomlValue = std::variant<std::string, double, bool, std::vector<std::string>>;

struct TomlEntry {
  std::string section;
  std::string key;
  TomlValue value;
  int line = 0;
};

/// The part of TOML that settings need: [sections], `key = value` with "texts", numbers, true and
/// false, lists of texts on one line, and # comments. Anything else, and a key given twice, is a
/// user error that names the file and the line.
[[nodiscard]] Result<std::vector<TomlEntry>> tomlFrom(std::string_view text,
                                                      const std::string& file);

}  // namespace hone::cluster
