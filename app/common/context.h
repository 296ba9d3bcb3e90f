#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
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
  /// The recorded run that must go on: a verb that would begin another one refuses.
  std::optional<std::int64_t> resumed;
  /// Set by the chosen verb; its value is the exit code.
  std::function<Result<int>()> action;
};

/// Parses a command line and runs its verb: the whole program; the exit code.
[[nodiscard]] int runCommandLine(const std::vector<std::string>& arguments);
/// The same for a recorded command line that goes on as `asked` wants it: in its store, with its
/// output, and the run that it names.
[[nodiscard]] int runCommandLine(const std::vector<std::string>& arguments, const Context* asked);

}  // namespace hone::app
