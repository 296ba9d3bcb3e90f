#include "kernel/source/cheats/token_index.h"

#include <algorithm>
#include <array>

#include "kernel/source/cpp_tokens.h"

namespace hone::kernel {

using cpp_source::Token;
using cpp_source::TokenKind;

std::size_t TokenPlaces::firstIn(std::size_t begin, std::size_t end) const {
  const auto found = std::ranges::lower_bound(places_, begin);
  return found == places_.end() ? end : std::min(*found, end);
}

TokenIndex::TokenIndex(std::span<const Token> tokens)
    : tokens_(tokens), closes_(tokens.size()), opens_(tokens.size()), begins_(tokens.size()) {
  constexpr std::string_view kOpens = "([<";
  constexpr std::string_view kCloses = ")]>";
  std::array<std::vector<std::size_t>, kOpens.size()> open;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    begins_[i] = begin;
    opens_[i] = i;
    const std::string& text = tokens_[i].text;
    if (tokens_[i].kind != TokenKind::punctuator || text.size() != 1) {
      continue;
    }
    if (isOneOf(text, {";", "{", "}"})) {
      begin = i + 1;
      ends_.add(i);
    } else if (const std::size_t kind = kOpens.find(text); kind != std::string_view::npos) {
      closes_[i] = tokens_.size();  // unless it is closed below
      open[kind].push_back(i);
    } else if (const std::size_t closed = kCloses.find(text);
               closed != std::string_view::npos && !open[closed].empty()) {
      opens_[i] = open[closed].back();
      closes_[opens_[i]] = i + 1;
      open[closed].pop_back();
    }
  }
}

std::size_t TokenIndex::afterBracket(std::size_t open) const {
  return open < closes_.size() && closes_[open] > 0 ? closes_[open] : open + 1;
}

}  // namespace hone::kernel
