#include "model/problem/shown.h"

#include <algorithm>

#include "base/text/text.h"

namespace hone::model {

std::string shown(std::string_view word) {
  constexpr std::size_t kCharacters = 40;
  constexpr std::size_t kBytes = 4 * kCharacters;  // bounds words that are not UTF-8
  std::string text = shortened(word.substr(0, kBytes), kCharacters);
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return text;
}

}  // namespace hone::model
