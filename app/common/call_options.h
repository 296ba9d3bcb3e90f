#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `--function` and `--input`, which select the call of a program. Both values must outlive
/// the command.
void addCallOptions(CLI::App& command, std::string& function, std::vector<std::string>& inputs);

}  // namespace hone::app
