#include "kernel/entry_point.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace hone::kernel {
namespace {

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where the word `kernel` stands before a parenthesis; npos where it does not.
std::size_t findEntry(std::string_view code) {
  constexpr std::string_view kName = "kernel";
  for (auto at = code.find(kName); at != std::string_view::npos; at = code.find(kName, at + 1)) {
    const auto after = code.find_first_not_of(" \t\n", at + kName.size());
    const bool whole = (at == 0 || !isWord(code[at - 1])) && after != std::string_view::npos &&
                       code[after] == '(';
    if (whole) {
      return at;
    }
  }
  return std::string_view::npos;
}

std::vector<std::string> tokensOf(std::string_view text) {
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (isWord(text[at]) && end < text.size() && isWord(text[end])) {
      ++end;
    }
    if (std::isspace(static_cast<unsigned char>(text[at])) == 0) {
      tokens.emplace_back(text.substr(at, end - at));
    }
    at = end;
  }
  return tokens;
}

/// "const float* __restrict__ A" is "const float *".
std::string typeOf(std::string_view parameter) {
  std::vector<std::string> tokens = tokensOf(parameter);
  std::erase_if(tokens, [](const std::string& token) {
    return token == "std" || token == ":" || token == "restrict" || token == "__restrict" ||
           token == "__restrict__";
  });
  // What is behind the type's own words is the name; int64_t alone is a type without one.
  if (tokens.size() > 1 && isWord(tokens.back().front()) && tokens.back() != "const") {
    tokens.pop_back();
  }
  return join(tokens, " ");
}

}  // namespace

std::string withoutComments(std::string_view code) {
  std::string plain;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code.substr(at, 2) == "//") {
      at = std::min(code.find('\n', at), code.size()) - 1;
    } else if (code.substr(at, 2) == "/*") {
      const auto end = std::min(code.find("*/", at + 2), code.size());
      plain.append(static_cast<std::size_t>(
                       std::count(code.begin() + static_cast<std::ptrdiff_t>(at),
                                  code.begin() + static_cast<std::ptrdiff_t>(end), '\n')),
                   '\n');
      at = end + 1;
    } else {
      plain += code[at];
    }
  }
  return plain;
}

std::optional<std::vector<std::string>> entryTypes(std::string_view code) {
  const std::string plain = withoutComments(code);
  const auto entry = findEntry(plain);
  if (entry == std::string::npos) {
    return std::nullopt;
  }
  const auto open = plain.find('(', entry);
  const auto close = plain.find(')', open);
  if (close == std::string::npos) {
    return std::nullopt;
  }
  std::vector<std::string> types;
  for (const std::string& parameter : splitAt(plain.substr(open + 1, close - open - 1), ',')) {
    types.push_back(typeOf(parameter));
  }
  return types;
}

std::string entryLine(std::string_view code) {
  const std::string plain = withoutComments(code);
  const auto entry = findEntry(plain);
  if (entry == std::string::npos) {
    return "";
  }
  const auto begin = plain.rfind('\n', entry) + 1;  // npos + 1 is the begin
  const auto close = plain.find(')', entry);
  return plain.substr(begin, close == std::string::npos ? close : close + 1 - begin);
}

}  // namespace hone::kernel
