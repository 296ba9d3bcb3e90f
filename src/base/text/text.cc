#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

namespace hone {
namespace {

template <typename Number>
std::optional<Number> parseWhole(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [at, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc{} || at != end) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

bool isWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string toLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

std::vector<std::string> splitAt(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at == text.size() || text[at] == separator) {
      parts.emplace_back(text.substr(start, at - start));
      start = at + 1;
    }
  }
  return parts;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::optional<std::int64_t> parseInt(std::string_view text) {
  return parseWhole<std::int64_t>(text);
}

std::optional<double> parseDouble(std::string_view text) {
  const auto value = parseWhole<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::vector<std::string>> shellWords(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inWord = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else if (c == '\\' && quote == '"' && i + 1 < text.size()) {
        word += text[++i];
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      inWord = true;
    } else if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      inWord = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (inWord) {
        words.push_back(std::exchange(word, {}));
        inWord = false;
      }
    } else {
      word += c;
      inWord = true;
    }
  }
  if (quote != '\0') {
    return std::nullopt;
  }
  if (inWord) {
    words.push_back(std::move(word));
  }
  return words;
}

std::size_t characterCount(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

bool hasControlCharacters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code < 0x20 || code == 0x7f;
  });
}

std::string printable(std::string_view text) {
  constexpr std::size_t kMaxLine = 400;
  std::string out;
  for (const std::string& line : splitAt(text, '\n')) {
    std::string clean = shortened(line, kMaxLine);
    std::ranges::replace_if(
        clean,
        [](char c) {
          const auto code = static_cast<unsigned char>(c);
          return (code < 0x20 && c != '\t') || code == 0x7f;
        },
        '?');
    out += clean + "\n";
  }
  if (!out.empty()) {
    out.pop_back();  // the newline after the last line
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t width) {
  const std::size_t dots = std::min<std::size_t>(width, 3);
  std::size_t characters = 0;
  std::size_t cut = text.size();
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool continues = (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;  // UTF-8
    if (!continues && characters++ == width - dots) {
      cut = at;
    }
  }
  return characters <= width ? std::string(text)
                             : std::string(text.substr(0, cut)) + std::string(dots, '.');
}

std::string shortenedInside(std::string_view text, std::size_t width) {
  constexpr std::size_t kDots = 3;
  std::vector<std::size_t> starts;  // first byte of each character
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0U) != 0x80U) {
      starts.push_back(at);
    }
  }
  if (starts.size() <= width || width < kDots + 2) {
    return shortened(text, width);
  }
  const std::size_t tail = (width - kDots) / 2;
  const std::size_t head = width - kDots - tail;
  return fmt::format("{}...{}", text.substr(0, starts[head]),
                     text.substr(starts[starts.size() - tail]));
}

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t bestDistance = word.size() / 3 + 2;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = editDistance(word, candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string humanTime(double nanoseconds) {
  constexpr std::array<std::string_view, 4> kUnits = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  while (std::abs(nanoseconds) >= 999.5 && unit + 1 < kUnits.size()) {
    nanoseconds /= 1000;
    ++unit;
  }
  const double size = std::abs(nanoseconds);
  const int digits = size >= 99.95 ? 0 : (size >= 9.995 ? 1 : 2);  // of the rounded value
  return fmt::format("{:.{}f} {}", nanoseconds, digits, kUnits[unit]);
}

}  // namespace hone
