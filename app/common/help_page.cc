#include "app/common/help_page.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "app/common/command_tree.h"
#include "base/text/text.h"

namespace hone::app {
namespace {

constexpr std::size_t kWidth = 80;
/// Descriptions begin in this column; a longer entry has its description on the next line.
constexpr std::size_t kColumn = 28;

/// Breaks a paragraph into lines that fit between the columns `indent` and kWidth. The first line
/// has no indentation.
std::string wrap(const std::string& text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  for (std::string word : splitAt(text, ' ')) {
    if (word.empty()) {
      continue;
    }
    while (word.size() > kWidth - indent) {  // a long path; ASCII
      out += fmt::format("{}{}\n{:{}}", column > indent ? " " : "",
                         word.substr(0, kWidth - column - 1), "", indent);
      word.erase(0, kWidth - column - 1);
      column = indent;
    }
    const std::size_t width = characterCount(word);
    if (column > indent && column + 1 + width > kWidth) {
      out += fmt::format("\n{:{}}", "", indent);
      column = indent;
    }
    if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width;
  }
  return out;
}

/// Formats "  name   description".
std::string helpLine(const std::string& name, const std::string& description) {
  const std::size_t width = 2 + characterCount(name);
  if (description.empty()) {
    return fmt::format("  {}\n", name);
  }
  if (width + 2 > kColumn) {
    return fmt::format("  {}\n{:{}}{}\n", name, "", kColumn, wrap(description, kColumn));
  }
  return fmt::format("  {}{:{}}{}\n", name, "", kColumn - width, wrap(description, kColumn));
}

/// Replaces the home folder by "~".
std::string abbreviateHome(const std::string& path) {
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0' && path.starts_with(fmt::format("{}/", home))
             ? fmt::format("~{}", path.substr(std::string_view(home).size()))
             : path;
}

std::string optionLine(const OptionHelp& option) {
  std::string name = option.isArgument ? option.names.front() : join(option.names, ", ");
  if (!option.isArgument && option.names.front().starts_with("--")) {
    name = fmt::format("    {}", name);  // under the long names of options with a short one
  }
  std::string description = option.description;
  if (option.isArgument) {
    name += option.repeats ? "..." : "";
  } else if (option.kind != ValueKind::none) {
    name += option.kind == ValueKind::choice ? " NAME" : fmt::format(" {}", option.value);
  }
  std::vector<std::string> notes;
  if (option.required && !option.isArgument) {
    notes.emplace_back("required");
  }
  if (option.repeats && !option.isArgument) {
    notes.emplace_back("repeatable");
  }
  if (option.kind == ValueKind::choice) {
    notes.push_back(fmt::format("values: {}", join(option.choices, ", ")));
  }
  if (!option.fallback.empty()) {
    notes.push_back(fmt::format("default: {}", abbreviateHome(option.fallback)));
  }
  if (!option.environment.empty()) {
    notes.push_back(fmt::format("env: {}", option.environment));
  }
  if (!notes.empty()) {
    description += fmt::format(" [{}]", join(notes, "; "));
  }
  return helpLine(name, description);
}

/// Lists the entries of each group under its heading, groups in the order of their first entry.
template <typename Item, typename Format>
std::string groups(const std::vector<Item>& items, const Format& format) {
  std::vector<std::string> order;
  for (const Item& item : items) {
    if (std::ranges::find(order, item.group) == order.end()) {
      order.push_back(item.group);
    }
  }
  std::string text;
  for (const std::string& group : order) {
    text += fmt::format("\n{}:\n", group);
    for (const Item& item : items) {
      text += item.group == group ? format(item) : "";
    }
  }
  return text;
}

std::string commandPath(const CLI::App& app) {
  return app.get_parent() == nullptr
             ? app.get_name()
             : fmt::format("{} {}", commandPath(*app.get_parent()), app.get_name());
}

/// Returns the options of the program. One that the command describes itself, such as --json, has
/// the description of the command.
std::vector<OptionHelp> globalOptions(const CLI::App& root, const CommandHelp& command) {
  std::vector<OptionHelp> options = describeCommands(root).options;
  for (OptionHelp& option : options) {
    const auto own = std::ranges::find(command.options, option.names, &OptionHelp::names);
    if (own != command.options.end()) {
      option.description = own->description;
    }
    option.group = "Global options";
  }
  return options;
}

std::string helpPage(const CLI::App& app, const CLI::App& root) {
  CommandHelp command = describeCommands(app);
  std::string text = fmt::format("{}\n\nUsage: {}\n", wrap(command.description, 0),
                                 synopsis(commandPath(app), command));
  if (!command.examples.empty()) {
    text += fmt::format("\nExamples:\n  {}\n", join(command.examples, "\n  "));
  }
  text += groups(command.commands,
                 [](const CommandHelp& one) { return helpLine(one.name, one.description); });
  // Arguments first, and --help with the global options.
  std::ranges::stable_partition(command.options, &OptionHelp::isArgument);
  const std::vector<OptionHelp> global = globalOptions(root, command);
  std::erase_if(command.options, [&](const OptionHelp& option) {
    return std::ranges::find(global, option.names, &OptionHelp::names) != global.end();
  });
  text += groups(command.options, optionLine) + groups(global, optionLine);
  text += command.notes.empty() ? "" : "\n";
  for (const std::string& note : command.notes) {
    text += fmt::format("{}\n", wrap(note, 0));
  }
  return text;
}

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(const CLI::App& root) : root_(root) {}
  std::string make_help(const CLI::App* app, std::string /*name*/,
                        CLI::AppFormatMode /*mode*/) const override {
    return helpPage(*app, root_);
  }

 private:
  const CLI::App& root_;
};

void setFormatter(CLI::App& app, const std::shared_ptr<CLI::FormatterBase>& formatter) {
  app.formatter(formatter);
  for (CLI::App* one : app.get_subcommands([](CLI::App*) { return true; })) {
    setFormatter(*one, formatter);
  }
}

}  // namespace

void useHelpPages(CLI::App& root) { setFormatter(root, std::make_shared<HelpFormatter>(root)); }

}  // namespace hone::app
