#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hone {

/// Returns this process's environment with `changes` applied, as "NAME=value" strings.
[[nodiscard]] std::vector<std::string> environmentWith(
    std::span<const std::pair<std::string, std::string>> changes);
/// Returns the variables as "NAME=value" strings.
[[nodiscard]] std::vector<std::string> environmentOf(
    std::span<const std::pair<std::string, std::string>> variables);

/// Returns the null-terminated pointer array that execve takes. Points into `texts`.
[[nodiscard]] std::vector<char*> execPointers(std::vector<std::string>& texts);

}  // namespace hone
