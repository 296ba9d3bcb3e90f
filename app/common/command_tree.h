#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hone::app {

/// Kinds of values that shell completion distinguishes.
enum class ValueKind : std::uint8_t { none, choice, file, folder, run, other };

/// An option or an argument as `--help` shows it.
struct OptionHelp {
  std::vector<std::string> names;  ///< "-o", "--output"; "FILE" of an argument
  bool isArgument = false;         ///< positional
  bool required = false;
  bool repeats = false;
  ValueKind kind = ValueKind::none;  ///< none: a flag
  std::vector<std::string> choices;
  std::string value;  ///< placeholder in the help: "FILE", "RUN", "evolve|model"
  std::string description;
  std::string fallback;  ///< default value
  std::string environment;
  std::string group;  ///< heading in the help
};

/// A command and its subcommands, without those that `--help` hides.
struct CommandHelp {
  std::string name;
  std::string description;
  std::string footer;
  std::string group;  ///< heading in the help of its parent
  std::vector<OptionHelp> options;
  std::vector<CommandHelp> commands;
};

/// Describes the commands of `app`. Completions and the manual use the same texts as `--help`.
[[nodiscard]] CommandHelp describeCommands(const CLI::App& app);

/// Calls `visit` with each command and its full name ("hone runs show"), parents first.
void forEachCommand(const CommandHelp& root,
                    const std::function<void(const std::string&, const CommandHelp&)>& visit);

}  // namespace hone::app
