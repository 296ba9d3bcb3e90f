#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hone {

/// This process's environment with `changes` in it, as "NAME=value".
[[nodiscard]] std::vector<std::string> environmentWith(
    std::span<const std::pair<std::string, std::string>> changes);

/// What execve takes: pointers to the texts, and a null one behind them.
[[nodiscard]] std::vector<char*> execPointers(std::vector<std::string>& texts);

}  // namespace hone
