#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include "base/error.h"
namespace hone::app {
/// What every verb shares: global options, and the action that main runs after parsing.
struct Context {
  std::filesystem::path store;   ///< --store FILE
  std::string ireeFolder;        ///< --iree DIR
  bool json = false;             ///< --json
  bool quiet = false;            ///< --quiet
  std::function<Result<int>()> action;  ///< set by the chosen verb's callback; its value is the exit code
};
}  // namespace hone::app
