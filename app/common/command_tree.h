#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hone::app {

/// What a value is, as far as a shell can complete it.
enum class ValueKind : std::uint8_t { none, choice, file, folder, run, other };

/// An option or an argument as `--help` shows it.
struct OptionHelp {
  std::vector<std::string> names;  ///< "-o", "--output"; "FILE" of an argument
  bool isArgument = false;         ///< told by its place rather than by a name
  bool required = false;
  bool repeats = false;
  ValueKind kind = ValueKind::none;  ///< none: a flag
  std::vector<std::string> choices;
  std::string value;  ///< what stands for it in the help: "FILE", "RUN", "evolve|model"
  std::string description;
  std::string fallback;  ///< where it is not given
  std::string environment;
};

/// A command with all that is below it; those that `--help` hides are left out.
struct CommandHelp {
  std::string name;
  std::string description;
  std::string footer;
  std::vector<OptionHelp> options;
  std::vector<CommandHelp> commands;
};

/// All of it from the parser itself: completions and the manual say what `--help` says.
[[nodiscard]] CommandHelp describeCommands(const CLI::App& app);

/// Each command with its whole name, "hone runs show", outer ones first.
void forEachCommand(const CommandHelp& root,
                    const std::function<void(const std::string&, const CommandHelp&)>& visit);

}  // namespace hone::app
