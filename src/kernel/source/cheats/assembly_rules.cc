#include "kernel/source/cheats/assembly_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "kernel/source/cheats/cpp_rules.h"

namespace hone::kernel {
namespace {

/// Reads at most `most` digits of a base at `at`.
unsigned readDigits(std::string_view text, std::size_t& at, unsigned base, std::size_t most) {
  unsigned value = 0;
  for (std::size_t count = 0; count < most && at < text.size(); ++count, ++at) {
    const char c = toLower(text.substr(at, 1)).front();
    const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                           : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
                                                  : base;
    if (digit >= base) {
      break;
    }
    value = value * base + digit;
  }
  return value;
}

bool isPrefix(std::string_view word) {
  constexpr auto kPrefixes = std::to_array<std::string_view>(
      {"lock", "rep", "repe", "repz", "repne", "repnz", "rex", "rex.w", "data16", "addr32",
       "notrack", "bnd", "xacquire", "xrelease", "%{vex%}", "%{evex%}", "%{vex3%}"});
  return std::ranges::find(kPrefixes, word) != kPrefixes.end();
}

/// Returns the first word that is neither a label nor a prefix. Blanks may precede the colon of a
/// label.
std::string_view instructionIn(std::string_view statement) {
  for (;;) {
    statement = trim(statement);
    const std::size_t end = std::min(statement.find_first_of(" \t:"), statement.size());
    const std::string_view word = statement.substr(0, end);
    const std::string_view rest = trim(statement.substr(end));
    const bool label = rest.starts_with(':');
    if (word.empty() || (!label && !isPrefix(word))) {
      return word;
    }
    statement = rest.substr(label ? 1 : 0);
  }
}

/// Returns why a word of the statement is forbidden, with the word; "" if all are allowed. Prefixes
/// such as "cs" may precede an instruction, so its place does not matter.
std::string explainWords(std::string_view statement) {
  statement = statement.substr(0, statement.find('#'));  // a comment, or a number
  while (!statement.empty()) {
    const std::size_t length =
        std::min(statement.find_first_of(" \t:,()$%*+-/="), statement.size());
    const std::string word = toLower(std::string(statement.substr(0, length)));
    if (const CppRule* rule = findCppRule(CppForm::instruction, word)) {
      return fmt::format("{} ({})", rule->reason, word);
    }
    statement.remove_prefix(std::min(length + 1, statement.size()));
  }
  return "";
}

/// Replaces comments by blanks, as the assembler does. A quote makes a number of the character
/// after it, which begins no comment.
std::string withoutComments(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'' && i + 1 < text.size()) {
      ++i;
      out += '0';
    } else if (text.substr(i).starts_with("/*")) {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 1;
      out += ' ';
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string explainStatement(std::string_view statement) {
  const std::string word = toLower(instructionIn(statement));
  if (word.empty()) {
    return "";
  }
  if (word.starts_with('.')) {
    return isAllowedAssemblerDirective(instructionIn(statement))
               ? ""
               : fmt::format("has assembly with the directive '{}'", word);
  }
  if (word.find_first_of("%{|}\\\"=(,") != std::string::npos) {
    return fmt::format("has assembly whose instruction cannot be read ('{}')", word);
  }
  if (statement.contains("%fs") || statement.contains("%gs")) {
    return "has assembly that inspects its thread (%fs)";
  }
  return explainWords(statement);
}

}  // namespace

std::string decodeEscapes(std::string_view body) {
  std::string text;
  for (std::size_t at = 0; at < body.size();) {
    if (body[at] != '\\' || at + 1 >= body.size()) {
      text += body[at++];
      continue;
    }
    const char c = body[at + 1];
    constexpr std::string_view kNames = "abfnrtv";
    constexpr std::string_view kValues = "\a\b\f\n\r\t\v";
    if (c == 'x' || c == 'u' || c == 'U' || c == 'o') {
      at += body.substr(at + 2).starts_with('{') ? 3 : 2;
      const std::size_t most = c == 'u' ? 4 : 8;
      text += static_cast<char>(readDigits(body, at, c == 'o' ? 8 : 16, most));
      at += at < body.size() && body[at] == '}' ? 1 : 0;
    } else if (c >= '0' && c <= '7') {
      ++at;
      text += static_cast<char>(readDigits(body, at, 8, 3));
    } else {
      const std::size_t name = kNames.find(c);
      text += name == std::string_view::npos ? c : kValues[name];
      at += 2;
    }
  }
  return text;
}

std::string explainRejectedAssembly(std::string_view text) {
  std::string plain = withoutComments(text);
  std::ranges::replace_if(
      plain, [](char c) { return std::string_view("\n\r\f\v").contains(c); }, ';');
  for (const std::string& statement : splitAt(plain, ';')) {
    if (std::string why = explainStatement(statement); !why.empty()) {
      return why;
    }
  }
  return "";
}

}  // namespace hone::kernel
