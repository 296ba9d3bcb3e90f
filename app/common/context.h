#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace hone::app {

/// Global options, and the action that main runs after parsing.
struct Context {
  std::filesystem::path store;         ///< --store FILE
  std::string ireeFolder;              ///< --iree DIR
  bool json = false;                   ///< --json
  bool quiet = false;                  ///< --quiet
  std::vector<std::string> arguments;  ///< the command line after the program's name
  /// Run to resume. The command fails if it would start a new run instead.
  std::optional<std::int64_t> resumed;
  /// Set by the chosen command; returns the exit code.
  std::function<Result<int>()> action;
};

/// Parses a command line and runs its command. Returns the exit code.
[[nodiscard]] int runCommandLine(const std::vector<std::string>& arguments);
/// Like above for a recorded command line. The global options and the resumed run of `overrides`,
/// if not null, take precedence.
[[nodiscard]] int runCommandLine(const std::vector<std::string>& arguments,
                                 const Context* overrides);

}  // namespace hone::app
