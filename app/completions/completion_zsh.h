#pragma once

#include <string>

#include "app/common/command_tree.h"

namespace hone::app {

/// Returns the completion script for zsh. It scans the words before the cursor to find the current
/// command, and calls `hone completions runs` for run numbers.
[[nodiscard]] std::string zshCompletion(const CommandHelp& root);

}  // namespace hone::app
