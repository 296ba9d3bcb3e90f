#include "app/completions/completion_fish.h"

#include <fmt/format.h>

#include "app/completions/completion_tables.h"
#include "base/text/text.h"

namespace hone::app {
namespace {

std::string fishQuoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + "'";
}

/// Returns the arguments of `complete` that describe the value.
std::string formatValue(const OptionHelp& option) {
  switch (option.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::choice:
      return fmt::format(" -x -a {}", fishQuoted(join(option.choices, " ")));
    case ValueKind::run:
      return " -x -k -a '(__hone_runs)'";
    case ValueKind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::file:
      return " -r -F";
    case ValueKind::other:
      return " -x";
  }
  return "";
}

std::string formatNames(const OptionHelp& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                   : fmt::format(" -s {}", name.substr(1));
  }
  return text;
}

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string formatCommand(const std::string& path, const CommandHelp& command, bool isRoot) {
  std::string lines;
  for (const CommandHelp& one : command.commands) {
    lines += fmt::format("complete -c hone -n \"__hone_at '{}' 0\" -a {} -d {}\n", path, one.name,
                         fishQuoted(firstLine(one.description)));
  }
  std::size_t place = 0;
  for (const OptionHelp& option : command.options) {
    const std::string where = option.isArgument ? fmt::format(" -n \"__hone_at '{}' {}{}\"", path,
                                                              place++, option.repeats ? " +" : "")
                              : isRoot          ? ""
                                                : fmt::format(" -n \"__hone_at '{}'\"", path);
    lines += fmt::format("complete -c hone{}{}{} -d {}\n", where,
                         option.isArgument ? "" : formatNames(option), formatValue(option),
                         fishQuoted(firstLine(option.description)));
  }
  return lines;
}

constexpr std::string_view kFishHead =
    R"fish(# fish completion for hone. Try it: hone completions fish | source
# Install it: hone completions fish > ~/.config/fish/completions/hone.fish

# Succeeds if the cursor is in this command and, if given, at this argument; with a + also at any
# later argument.
function __hone_at
    set -l where hone
    set -l place 0
    set -l option
    for word in (commandline -opc)[2..]
        if test -n "$option"
            set option
        else if contains -- "$where $word" {commands}
            set where "$where $word"
            set place 0
        else if string match -q -- '-*' $word
            if contains -- "$where $word" {valued}; or contains -- "hone $word" {valued}
                set option $word
            end
        else
            set place (math $place + 1)
        end
    end
    test "$where" = "$argv[1]"; and begin
        test (count $argv) -lt 2; or test $place = $argv[2]
        or begin
            test (count $argv) -gt 2; and test $place -gt $argv[2]
        end
    end
end

function __hone_runs
    set -l words (commandline -opc)
    set -l store
    for i in (seq 2 (count $words))
        if test $words[$i] = --store; and test $i -lt (count $words)
            set store --store $words[(math $i + 1)]
        end
    end
    $words[1] $store completions runs 2> /dev/null
end

complete -c hone -f
)fish";

}  // namespace

std::string fishCompletion(const CommandHelp& root) {
  const CompletionTables tables = CompletionTables::of(root);
  std::vector<std::string> commands;
  std::vector<std::string> valued;
  for (std::size_t i = 1; i < tables.levels.size(); ++i) {
    commands.push_back(fishQuoted(tables.levels[i].path));
  }
  for (const std::string& key : tables.valued) {
    valued.push_back(fishQuoted(key));
  }
  std::string script =
      fmt::format(fmt::runtime(kFishHead), fmt::arg("commands", join(commands, " ")),
                  fmt::arg("valued", join(valued, " ")));
  forEachCommand(root, [&](const std::string& path, const CommandHelp& command) {
    script += formatCommand(path, command, &command == &root);
  });
  return script;
}

}  // namespace hone::app
