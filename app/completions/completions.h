#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone completions`: prints a completion script for a shell.
void addCompletionsCommand(CLI::App& app, Context& context);

/// Adds `hone man`: prints the manual page. Both use the texts of `--help`.
void addManCommand(CLI::App& app, Context& context);

}  // namespace hone::app
