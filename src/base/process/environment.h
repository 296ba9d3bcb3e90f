#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hone {

/// Environment of a child process.
enum class Inherit : std::uint8_t {
  everything,
  nothing,
  /// Only variables that configure the system, compilers or drivers and whose names do not suggest
  /// a secret. Unknown names may be secrets.
  harmless,
};

/// Removes all but the harmless variables of this process, and erases their values from memory.
/// For forked children that do not call exec.
void dropSecrets();

/// Returns this process's environment with `changes` applied, as "NAME=value" strings.
[[nodiscard]] std::vector<std::string> environmentWith(
    std::span<const std::pair<std::string, std::string>> changes,
    Inherit inherit = Inherit::everything);

/// Returns the null-terminated pointer array that execve takes. Points into `texts`.
[[nodiscard]] std::vector<char*> execPointers(std::vector<std::string>& texts);

}  // namespace hone
