#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace hone::app {

/// What every verb shares: global options, and the action that main runs after parsing.
struct Context {
  std::filesystem::path store;         ///< --store FILE
  std::string ireeFolder;              ///< --iree DIR
  bool json = false;                   ///< --json
  bool quiet = false;                  ///< --quiet
  std::vector<std::string> arguments;  ///< the command line after the program's name
  /// Set by the chosen verb; its value is the exit code.
  std::function<Result<int>()> action;
};

/// Parses a command line and runs its verb: the whole program. Also how a recorded run resumes.
[[nodiscard]] int runCommandLine(const std::vector<std::string>& arguments);

}  // namespace hone::app
