#include "app/common/parse_error.h"

#include <fmt/format.h>
#include <re2/re2.h>

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

constexpr std::string_view kDashes = "--";

/// Returns the long names of the options, without dashes.
std::vector<std::string> optionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const OptionHelp& option : describeCommands(app).options) {
    for (const std::string& name : option.names) {
      if (!option.isArgument && name.starts_with(kDashes)) {
        names.push_back(name.substr(kDashes.size()));
      }
    }
  }
  return names;
}

/// Returns "; did you mean `--…`?" for the option nearest to `word`, or "". Compares without the
/// dashes, because they would make short words look similar.
std::string optionSuggestion(const std::string& word, const std::vector<std::string>& names) {
  const auto name = nearest(word.substr(std::min(word.find_first_not_of('-'), word.size())), names);
  return name ? fmt::format("; did you mean `--{}`?", *name) : "";
}

/// Formats a bound without the zeros of "5.000000"; "" for the limit of a type, which is no bound.
std::string boundText(std::string bound) {
  constexpr std::size_t kMaxDigits = 18;
  if (const auto dot = bound.find('.'); dot != std::string::npos) {
    bound.erase(bound.find_last_not_of('0') + 1);
    bound.erase(bound.find_last_not_of('.') + 1);
  }
  return bound.size() > kMaxDigits ? "" : bound;
}

/// Rewrites CLI11's messages about values: "--rounds: expected a number from 5 to 1000, got 'abc'".
std::string describeValueError(const std::string& message) {
  static const RE2 kRange(R"((?s)(.+?): Value (.*) not in range (\S+) to (\S+))");
  static const RE2 kChoice(R"((?s)(.+?): (.*) not in \{(.*)\})");
  static const RE2 kNumber(R"((?s)Could not convert: (\S+) = (.*))");
  std::string name;
  std::string value;
  std::string low;
  std::string high;
  if (RE2::FullMatch(message, kRange, &name, &value, &low, &high)) {
    const std::string from = boundText(low);
    const std::string most = boundText(high);
    std::string range = fmt::format("a number from {}", from);
    if (!most.empty()) {
      range += " to " + most;
    } else if (low.contains('.')) {  // CLI::PositiveNumber
      range = "a positive number";
    }
    return fmt::format("{}: expected {}, got '{}'", name, range, value);
  }
  std::string choices;
  if (RE2::FullMatch(message, kChoice, &name, &value, &choices)) {
    std::vector<std::string> names = splitAt(choices, ',');
    const std::string last = names.empty() ? "" : names.back();
    if (names.size() > 1) {
      names.pop_back();
      return fmt::format("{}: expected {} or {}, got '{}'", name, join(names, ", "), last, value);
    }
    return fmt::format("{}: expected {}, got '{}'", name, last, value);
  }
  if (RE2::FullMatch(message, kNumber, &name, &value)) {
    return fmt::format("{}: expected a number, got '{}'", name, value);
  }
  return message == "A subcommand is required" ? "expected a command" : message;
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
  if (left.empty() || (!isExtra && !needsCommand)) {
    return describeValueError(error.what()) + see;
  }
  const std::string& word = left.front();
  if (word.starts_with("-")) {
    std::vector<std::string> names = optionNames(*command);
    std::ranges::copy(optionNames(app), std::back_inserter(names));
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("unknown option '{}'{}{}", name, optionSuggestion(name, names), see);
  }
  const std::string meant = suggestion(word, commandNames(*command));
  if (needsCommand || !meant.empty()) {
    return fmt::format("unknown command '{}'{}{}", word, meant, see);
  }
  return fmt::format("unexpected argument '{}'{}", word, see);
}

}  // namespace hone::app
