#include "app/common/command_tree.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "base/text/text.h"

namespace hone::app {
namespace {

/// Returns the values in a type such as "TEXT:{a,b}", CLI11's notation for a fixed set.
std::vector<std::string> choicesIn(const std::string& type) {
  const auto open = type.find('{');
  const auto close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) {
    return {};
  }
  return splitAt(type.substr(open + 1, close - open - 1), ',');
}

/// Returns a type without its validators, which CLI11 appends after a colon. A type such as
/// "NAME=LOW:HIGH" is kept.
std::string baseType(const std::string& type) {
  return type.contains('=') ? type : type.substr(0, type.find(':'));
}

ValueKind classifyValue(const CLI::Option& option, const std::string& type) {
  if (option.get_items_expected_max() == 0) {
    return ValueKind::none;
  }
  if (!choicesIn(type).empty()) {
    return ValueKind::choice;
  }
  const std::string base = baseType(type);
  if (base == "RUN") {
    return ValueKind::run;
  }
  if (base == "DIR") {
    return ValueKind::folder;
  }
  // Most text values are file names; numbers never are.
  return base == "FILE" || base == "TEXT" ? ValueKind::file : ValueKind::other;
}

std::vector<std::string> listNames(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  return names;
}

/// Returns the placeholder of an option's value: "N" for a number, the last word of the option's
/// name for text ("SPEC" of --starter-spec), or the type that the option was given.
std::string placeholder(const CLI::Option& option, const std::string& base) {
  if (base == "INT" || base == "UINT") {
    return "N";
  }
  if (base == "FLOAT") {
    return "NUMBER";
  }
  if (base != "TEXT" || option.get_lnames().empty()) {
    return base;
  }
  std::string word = splitAt(option.get_lnames().front(), '-').back();
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return word;
}

OptionHelp describe(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  OptionHelp help;
  help.isArgument = option.get_positional() && !option.nonpositional();
  help.names = help.isArgument ? std::vector{option.get_name(true)} : listNames(option);
  help.required = option.get_required();
  help.repeats = option.get_items_expected_max() > 1;
  help.kind = classifyValue(option, type);
  help.choices = choicesIn(type);
  help.value =
      !help.choices.empty() ? join(help.choices, "|") : placeholder(option, baseType(type));
  help.description = option.get_description();
  help.fallback = help.kind == ValueKind::none ? "" : option.get_default_str();
  help.environment = option.get_envname();
  help.group = help.isArgument ? "Arguments" : option.get_group();
  return help;
}

/// Splits the footer into examples and notes.
void readFooter(const std::string& footer, CommandHelp& help) {
  for (const std::string& line : splitAt(footer, '\n')) {
    if (line.starts_with("  ")) {
      help.examples.push_back(line.substr(2));
    } else if (!line.empty() && line != "Examples:") {
      help.notes.push_back(line);
    }
  }
}

void visitBelow(const CommandHelp& command, const std::string& path,
                const std::function<void(const std::string&, const CommandHelp&)>& visit) {
  visit(path, command);
  for (const CommandHelp& one : command.commands) {
    visitBelow(one, fmt::format("{} {}", path, one.name), visit);
  }
}

}  // namespace

CommandHelp describeCommands(const CLI::App& app) {
  CommandHelp help;
  help.name = app.get_name();
  help.description = app.get_description();
  help.group = app.get_group();
  help.needsCommand = app.get_require_subcommand_min() > 0;
  readFooter(app.get_footer(), help);
  for (const CLI::Option* option : app.get_options({})) {
    if (!option->get_group().empty()) {
      help.options.push_back(describe(*option));
    }
  }
  const std::function<bool(const CLI::App*)> isShown = [](const CLI::App* one) {
    return !one->get_group().empty();
  };
  for (const CLI::App* one : app.get_subcommands(isShown)) {
    help.commands.push_back(describeCommands(*one));
  }
  return help;
}

std::string synopsis(const std::string& path, const CommandHelp& command) {
  std::string line = fmt::format("{} [OPTIONS]", path);
  for (const OptionHelp& option : command.options) {
    if (option.isArgument) {
      const std::string dashes = option.names.front() == "FLAGS" ? "-- " : "";
      const std::string name = dashes + option.names.front() + (option.repeats ? "..." : "");
      line += option.required ? fmt::format(" {}", name) : fmt::format(" [{}]", name);
    }
  }
  return command.commands.empty() ? line
                                  : line + (command.needsCommand ? " COMMAND" : " [COMMAND]");
}

void forEachCommand(const CommandHelp& root,
                    const std::function<void(const std::string&, const CommandHelp&)>& visit) {
  visitBelow(root, root.name, visit);
}

}  // namespace hone::app
