#include "app/completions/man_page.h"

#include <fmt/format.h>

#include <cctype>

#include "base/text/text.h"

namespace hone::app {
namespace {

/// The character of UTF-8 that begins there as roff names it, and past it.
std::string namedCharacter(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  std::uint32_t code = length == 1 ? first : first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length && at + i < text.size(); ++i) {
    code = code << 6U | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  at += length;
  return fmt::format("\\[u{:04X}]", code);
}

/// Text that roff prints as it is.
std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) >= 0x80) {
      out += namedCharacter(text, at);
      continue;
    }
    const bool lineStart = out.empty() || out.back() == '\n';
    out += lineStart && (c == '.' || c == '\'') ? "\\&" : "";
    out += c == '\\'   ? "\\e"
           : c == '-'  ? "\\-"
           : c == '\'' ? "\\(aq"
           : c == '`'  ? "\\(ga"
           : c == '^'  ? "\\(ha"
           : c == '~'  ? "\\(ti"
                       : std::string(1, c);
    ++at;
  }
  return out;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", escaped(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", escaped(text)); }

std::string withDot(const std::string& text) {
  const bool ended = text.empty() || text.ends_with('.') || text.ends_with('!');
  return ended ? text : fmt::format("{}.", text);
}

/// ".TP" with the names of an option, then what it is.
std::string optionEntry(const OptionHelp& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) {
    names.push_back(option.isArgument ? italic(name) : bold(name));
  }
  std::string entry = fmt::format(".TP\n{}", join(names, ", "));
  if (!option.isArgument && option.kind != ValueKind::none) {
    entry += fmt::format(" {}", italic(option.value));
  }
  entry += fmt::format("\n{}", escaped(withDot(option.description)));
  if (option.isArgument && !option.choices.empty()) {
    entry += fmt::format(" One of {}.", escaped(join(option.choices, ", ")));
  }
  if (!option.fallback.empty()) {
    entry += fmt::format(" Default: {}.", escaped(option.fallback));
  }
  if (!option.environment.empty()) {
    entry += fmt::format(" Environment: {}.", bold(option.environment));
  }
  return entry + (option.required && !option.isArgument ? " Required.\n" : "\n");
}

std::string optionEntries(const CommandHelp& command) {
  std::string text;
  for (const bool arguments : {true, false}) {
    for (const OptionHelp& option : command.options) {
      if (option.isArgument == arguments) {
        text += optionEntry(option);
      }
    }
  }
  return text;
}

/// The footer with its examples, lines as they are.
std::string footerOf(const CommandHelp& command) {
  return command.footer.empty() ? ""
                                : fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(trim(command.footer)));
}

std::string synopsisOf(const std::string& path, const CommandHelp& command) {
  std::string line = fmt::format("{} [{}]", path, "OPTIONS");
  for (const OptionHelp& option : command.options) {
    if (option.isArgument) {
      const std::string name = option.names.front() + (option.repeats ? "..." : "");
      line += option.required ? fmt::format(" {}", name) : fmt::format(" [{}]", name);
    }
  }
  return line + (command.commands.empty() ? "" : " COMMAND");
}

std::string environmentOf(const CommandHelp& root) {
  std::string text;
  forEachCommand(root, [&](const std::string& path, const CommandHelp& command) {
    for (const OptionHelp& option : command.options) {
      if (!option.environment.empty()) {
        text += fmt::format(".TP\n{}\nThe same as {} of {}.\n", bold(option.environment),
                            bold(option.names.back()), bold(path));
      }
    }
  });
  return text.empty() ? "" : fmt::format(".SH ENVIRONMENT\n{}", text);
}

}  // namespace

std::string manPage(const CommandHelp& root, std::string_view version) {
  const std::string what = withDot(root.description);
  std::string text = fmt::format(
      ".\\\" Made by `hone man` of what `hone --help` shows.\n"
      ".TH HONE 1 \"\" \"hone {}\" \"User Commands\"\n"
      ".SH NAME\nhone \\- {}\n.SH SYNOPSIS\n{} [{}] {}\n.SH DESCRIPTION\n{}\n",
      version, escaped(what.substr(what.starts_with("hone ") ? 5 : 0, what.size() - 6)),
      bold("hone"), italic("OPTIONS"), italic("COMMAND"), escaped(what));
  text += footerOf(root);
  text += fmt::format(".SH OPTIONS\n{}.SH COMMANDS\n", optionEntries(root));
  forEachCommand(root, [&](const std::string& path, const CommandHelp& command) {
    if (&command != &root) {
      text += fmt::format(".SS {}\n{}\n{}{}", escaped(synopsisOf(path, command)),
                          escaped(withDot(command.description)), optionEntries(command),
                          footerOf(command));
    }
  });
  return text + environmentOf(root);
}

}  // namespace hone::app
