#include "report/render/table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/text/text.h"

namespace hone::report {
namespace {

constexpr std::size_t kGap = 2;

bool startsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// Returns the first `count` characters, never splitting one.
std::string_view firstCharacters(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  while (at < text.size() && (count > 0 || !startsCharacter(text[at]))) {
    count -= startsCharacter(text[at]) ? 1 : 0;
    ++at;
  }
  return text.substr(0, at);
}

std::string cut(std::string_view text, std::size_t width) {
  if (characterCount(text) <= width) {
    return std::string(text);
  }
  constexpr std::size_t kDots = 3;
  if (width <= kDots) {
    return std::string(firstCharacters(text, width));
  }
  return std::string(firstCharacters(text, width - kDots)) + "...";
}

std::string onOneLine(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return text;
}

void appendCell(std::string& line, std::string_view text, std::size_t width, Align align) {
  const std::string shown = cut(text, width);
  const std::size_t blanks = width - characterCount(shown);
  line.append(align == Align::right ? blanks : 0, ' ');
  line += shown;
  line.append(align == Align::left ? blanks : 0, ' ');
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) {
    cell = onOneLine(std::move(cell));
  }
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths(std::size_t limit) const {
  std::vector<std::size_t> widths;
  std::size_t total = columns_.empty() ? 0 : kGap * (columns_.size() - 1);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = characterCount(columns_[i].heading);
    for (const auto& row : rows_) {
      widest = std::max(widest, characterCount(row[i]));
    }
    widths.push_back(widest);
    total += widest;
  }
  for (; limit > 0 && total > limit; --total) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::size_t least = columns_[i].shrinkTo;
      if (least > 0 && widths[i] > least && (widest == nullptr || widths[i] > *widest)) {
        widest = &widths[i];
      }
    }
    if (widest == nullptr) {
      break;
    }
    --*widest;
  }
  return widths;
}

std::string Table::text(std::size_t width) const {
  const std::vector<std::size_t> wide = widths(width);
  std::string text;
  const auto addLine = [&](auto&& cellAt) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      line.append(i > 0 ? kGap : 0, ' ');
      appendCell(line, cellAt(i), wide[i], columns_[i].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  if (std::any_of(columns_.begin(), columns_.end(),
                  [](const Column& column) { return !column.heading.empty(); })) {
    addLine([&](std::size_t i) -> const std::string& { return columns_[i].heading; });
  }
  for (const auto& row : rows_) {
    addLine([&](std::size_t i) -> const std::string& { return row[i]; });
  }
  return text;
}

std::size_t outputWidth() {
  constexpr std::size_t kDefaultWidth = 80;
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kDefaultWidth;
}

}  // namespace hone::report
