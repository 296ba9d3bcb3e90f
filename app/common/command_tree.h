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
  std::vector<std::string> examples;  ///< one command line each, with an optional remark
  std::vector<std::string> notes;     ///< paragraphs at the end of the page
  std::string group;                  ///< heading in the help of its parent
  std::vector<OptionHelp> options;
  std::vector<CommandHelp> commands;
  bool needsCommand = false;  ///< a subcommand is required
};

/// Describes the commands of `app`. Completions and the manual use the same texts as `--help`. In a
/// footer, the indented lines below "Examples:" are examples; every other line is a note.
[[nodiscard]] CommandHelp describeCommands(const CLI::App& app);

/// Returns the usage of the command with the full name `path`:
/// "hone tune [OPTIONS] [PROGRAM] [-- FLAGS...]".
[[nodiscard]] std::string synopsis(const std::string& path, const CommandHelp& command);

/// Calls `visit` with each command and its full name ("hone runs show"), parents first.
void forEachCommand(const CommandHelp& root,
                    const std::function<void(const std::string&, const CommandHelp&)>& visit);

}  // namespace hone::app
