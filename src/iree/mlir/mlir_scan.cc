#include "iree/mlir/mlir_scan.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/text/text.h"

namespace hone::iree {
namespace {

bool isBlank(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }

bool isWordLetter(char letter) {
  return isWordCharacter(letter) || std::string_view(".$-").contains(letter);
}

bool startsComment(std::string_view text, std::size_t at) {
  return text.substr(at).starts_with("//");
}

}  // namespace

std::size_t nextPosition(std::string_view text, std::size_t at) {
  if (startsComment(text, at)) {
    return std::min(text.find('\n', at), text.size());
  }
  if (text.substr(at).starts_with("->")) {
    return at + 2;
  }
  if (text[at] != '"') {
    return at + 1;
  }
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

std::size_t closingPosition(std::string_view text, std::size_t at) {
  constexpr std::string_view kOpening = "([{<";
  constexpr std::string_view kClosing = ")]}>";
  std::vector<char> expected;
  for (std::size_t i = at; i < text.size();) {
    const std::size_t next = nextPosition(text, i);
    if (next == i + 1) {
      if (const auto kind = kOpening.find(text[i]); kind != std::string_view::npos) {
        expected.push_back(kClosing[kind]);
      } else if (kClosing.contains(text[i])) {
        if (expected.empty() || expected.back() != text[i]) {
          return std::string_view::npos;
        }
        expected.pop_back();
      }
      if (expected.empty()) {
        return next;
      }
    }
    i = next;
  }
  return std::string_view::npos;
}

std::size_t findWord(std::string_view text, std::string_view word, std::size_t at) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t next = nextPosition(text, i);
    if (i >= at && next == i + 1 && text.substr(i).starts_with(word)) {
      const std::size_t end = i + word.size();
      const bool before = i > 0 && isWordLetter(text[i - 1]) && isWordLetter(word.front());
      const bool after = end < text.size() && isWordLetter(text[end]) &&
                         isWordLetter(word.back()) && !text.substr(end).starts_with("->");
      if (!before && !after) {
        return i;
      }
    }
    i = next;
  }
  return std::string_view::npos;
}

std::size_t skipBlanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (isBlank(text[at]) || startsComment(text, at))) {
    at = nextPosition(text, at);
  }
  return at;
}

std::string withoutComments(std::string_view text) {
  std::string kept;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t next = nextPosition(text, i);
    if (!startsComment(text, i)) {
      kept += text.substr(i, next - i);
    }
    i = next;
  }
  return kept;
}

}  // namespace hone::iree
