#pragma once

#include <string>

namespace CLI {
class App;
}

namespace hone::app {

/// Makes every help page of `root` and its commands: description, usage, examples, arguments,
/// options by group, global options; at most 80 columns wide.
void useHelpPages(CLI::App& root);

}  // namespace hone::app
