#include "app/common/parse_error.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <vector>

#include "app/common/command_tree.h"
#include "base/text/text.h"

namespace hone::app {
namespace {

/// Returns "; did you mean …?" for the name nearest to `word`, or "".
std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const auto name = nearest(word, names);
  return name ? fmt::format("; did you mean `{}`?", *name) : "";
}

std::vector<std::string> commandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CommandHelp& command : describeCommands(app).commands) {
    names.push_back(command.name);
  }
  return names;
}

std::vector<std::string> optionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const OptionHelp& option : describeCommands(app).options) {
    if (!option.isArgument) {
      names.insert(names.end(), option.names.begin(), option.names.end());
    }
  }
  return names;
}

}  // namespace

std::string describeParseError(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  std::string path = app.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    path += " " + command->get_name();
  }
  const std::string see = fmt::format(" (see {} --help)", path);
  const auto left = app.remaining(true);
  const bool needsCommand = command->get_require_subcommand_min() > 0;
  const bool isExtra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (left.empty() || (!isExtra && (!needsCommand || left.front().starts_with("-")))) {
    return error.what() + see;
  }
  const std::string& word = left.front();
  if (word.starts_with("-")) {
    std::vector<std::string> names = optionNames(*command);
    std::ranges::copy(optionNames(app), std::back_inserter(names));
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("unknown option '{}'{}{}", name, suggestion(name, names), see);
  }
  const std::string meant = suggestion(word, commandNames(*command));
  if (needsCommand || !meant.empty()) {
    return fmt::format("unknown command '{}'{}{}", word, meant, see);
  }
  return fmt::format("unexpected argument '{}'{}", word, see);
}

}  // namespace hone::app
