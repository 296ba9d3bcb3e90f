#include "store/records.h"

#include <array>
#include <nlohmann/json.hpp>

namespace hone::store {
namespace {

constexpr std::array<std::string_view, 3> kStatusNames = {"running", "finished", "failed"};

/// Quotes a word for a shell if needed.
std::string shellQuote(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
    return word;
  }
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\'";  // close the quotes, escape one, reopen
    }
    text += c;
  }
  text += '\'';
  return text;
}

}  // namespace

std::string_view nameOf(RunStatus status) { return kStatusNames[static_cast<std::size_t>(status)]; }

std::optional<RunStatus> runStatusFrom(std::string_view name) {
  for (std::size_t i = 0; i < kStatusNames.size(); ++i) {
    if (kStatusNames[i] == name) {
      return static_cast<RunStatus>(i);
    }
  }
  return std::nullopt;
}

std::string commandLine(std::span<const std::string> arguments) {
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) {
      line += ' ';
    }
    line += shellQuote(argument);
  }
  return line;
}

}  // namespace hone::store
