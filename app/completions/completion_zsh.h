#pragma once

#include <string>

#include "app/common/command_tree.h"

namespace hone::app {

/// Returns the completion script for zsh. It walks over the words before the cursor to find the
/// command being typed, and calls `hone completions runs` for the numbers of runs.
[[nodiscard]] std::string zshCompletion(const CommandHelp& root);

}  // namespace hone::app
