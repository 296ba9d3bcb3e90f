#include "base/text/unified_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <vector>

namespace hone {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t kContext = 3;
/// Beyond this many changes the search takes too long, and the text is replaced as a whole.
constexpr std::ptrdiff_t kMaxChanges = 2000;

/// Lines removed and inserted at one place. Lines between changes are equal.
struct Change {
  std::size_t beforeBegin = 0, beforeEnd = 0;
  std::size_t afterBegin = 0, afterEnd = 0;
};

/// Splits into lines that keep their line ends; only the last may lack one.
Lines splitLines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end == std::string_view::npos ? end : end + 1));
    text.remove_prefix(lines.back().size());
  }
  return lines;
}

/// Implements Myers, "An O(ND) difference algorithm and its variations". Records how far each
/// diagonal gets with every number of changes.
class MyersSearch {
 public:
  MyersSearch(const Lines& before, const Lines& after)
      : before_(before),
        after_(after),
        rows_(static_cast<std::ptrdiff_t>(before.size())),
        columns_(static_cast<std::ptrdiff_t>(after.size())) {}

  /// Returns the changes in order.
  std::vector<Change> run() {
    const std::ptrdiff_t limit = std::min(kMaxChanges, rows_ + columns_);
    for (std::ptrdiff_t count = 0; count <= limit; ++count) {
      reached_.emplace_back(static_cast<std::size_t>(2 * count + 1));
      for (std::ptrdiff_t diagonal = -count; diagonal <= count; diagonal += 2) {
        std::ptrdiff_t row = firstRow(count, diagonal);
        while (row < rows_ && row - diagonal < columns_ &&
               before_[static_cast<std::size_t>(row)] ==
                   after_[static_cast<std::size_t>(row - diagonal)]) {
          ++row;
        }
        at(count, diagonal) = row;
        if (row >= rows_ && row - diagonal >= columns_) {
          return walkBack(count);
        }
      }
    }
    return {{0, before_.size(), 0, after_.size()}};
  }

 private:
  std::ptrdiff_t& at(std::ptrdiff_t count, std::ptrdiff_t diagonal) {
    return reached_[static_cast<std::size_t>(count)][static_cast<std::size_t>(diagonal + count)];
  }
  /// Returns true if the last of `count` changes on `diagonal` inserts a line, false if it removes
  /// one.
  bool inserts(std::ptrdiff_t count, std::ptrdiff_t diagonal) {
    return diagonal == -count ||
           (diagonal != count && at(count - 1, diagonal - 1) < at(count - 1, diagonal + 1));
  }
  /// Returns the row after that change.
  std::ptrdiff_t firstRow(std::ptrdiff_t count, std::ptrdiff_t diagonal) {
    if (count == 0) {
      return 0;
    }
    return inserts(count, diagonal) ? at(count - 1, diagonal + 1) : at(count - 1, diagonal - 1) + 1;
  }

  std::vector<Change> walkBack(std::ptrdiff_t count) {
    std::vector<Change> changes;
    std::ptrdiff_t diagonal = rows_ - columns_;
    for (; count > 0; --count) {
      const bool inserted = inserts(count, diagonal);
      const std::ptrdiff_t row = firstRow(count, diagonal);
      const std::ptrdiff_t column = row - diagonal;
      const Change one{static_cast<std::size_t>(inserted ? row : row - 1),
                       static_cast<std::size_t>(row),
                       static_cast<std::size_t>(inserted ? column - 1 : column),
                       static_cast<std::size_t>(column)};
      if (!changes.empty() && changes.back().beforeBegin == one.beforeEnd &&
          changes.back().afterBegin == one.afterEnd) {
        changes.back().beforeBegin = one.beforeBegin;
        changes.back().afterBegin = one.afterBegin;
      } else {
        changes.push_back(one);
      }
      diagonal += inserted ? 1 : -1;
    }
    std::ranges::reverse(changes);
    return changes;
  }

  const Lines& before_;
  const Lines& after_;
  std::ptrdiff_t rows_;
  std::ptrdiff_t columns_;
  std::vector<std::vector<std::ptrdiff_t>> reached_;
};

std::vector<Change> changesBetween(const Lines& before, const Lines& after) {
  const auto [firstBefore, firstAfter] = std::ranges::mismatch(before, after);
  const auto same = static_cast<std::size_t>(firstBefore - before.begin());
  std::size_t tail = 0;
  while (tail < std::min(before.size(), after.size()) - same &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
    ++tail;
  }
  const Lines middleBefore(firstBefore, before.end() - static_cast<std::ptrdiff_t>(tail));
  const Lines middleAfter(firstAfter, after.end() - static_cast<std::ptrdiff_t>(tail));
  auto changes = MyersSearch(middleBefore, middleAfter).run();
  for (Change& change : changes) {
    change.beforeBegin += same;
    change.beforeEnd += same;
    change.afterBegin += same;
    change.afterEnd += same;
  }
  return changes;
}

void addLine(std::string& out, char mark, std::string_view line) {
  out.push_back(mark);
  out.append(line);
  if (!line.ends_with('\n')) {
    out.append("\n\\ No newline at end of file\n");
  }
}

/// Formats a range of a hunk header: "12,7" is seven lines from line 12. An empty range names the
/// line before it.
std::string rangeText(std::size_t begin, std::size_t end) {
  return fmt::format("{},{}", begin == end ? begin : begin + 1, end - begin);
}

/// Formats the hunk with the changes in [first, last).
std::string formatHunk(const Lines& before, const Lines& after,
                       std::vector<Change>::const_iterator first,
                       std::vector<Change>::const_iterator last) {
  const std::size_t lead = std::min(kContext, first->beforeBegin);
  const std::size_t end = std::min(before.size(), (last - 1)->beforeEnd + kContext);
  const std::size_t afterEnd = (last - 1)->afterEnd + (end - (last - 1)->beforeEnd);
  std::string out = fmt::format("@@ -{} +{} @@\n", rangeText(first->beforeBegin - lead, end),
                                rangeText(first->afterBegin - lead, afterEnd));
  std::size_t at = first->beforeBegin - lead;
  for (auto change = first; change != last; ++change) {
    for (; at < change->beforeBegin; ++at) {
      addLine(out, ' ', before[at]);
    }
    for (; at < change->beforeEnd; ++at) {
      addLine(out, '-', before[at]);
    }
    for (std::size_t i = change->afterBegin; i < change->afterEnd; ++i) {
      addLine(out, '+', after[i]);
    }
  }
  for (; at < end; ++at) {
    addLine(out, ' ', before[at]);
  }
  return out;
}

}  // namespace

std::string unifiedDiff(std::string_view before, std::string_view after, std::string_view path) {
  if (before == after) {
    return "";
  }
  const Lines linesBefore = splitLines(before);
  const Lines linesAfter = splitLines(after);
  const std::vector<Change> changes = changesBetween(linesBefore, linesAfter);
  // A tab terminates a name that contains blanks.
  const std::string_view nameEnd = path.contains(' ') ? "\t" : "";
  std::string out = fmt::format("--- a/{}{}\n+++ b/{}{}\n", path, nameEnd, path, nameEnd);
  for (auto first = changes.begin(); first != changes.end();) {
    auto last = first + 1;
    while (last != changes.end() && last->beforeBegin - (last - 1)->beforeEnd <= 2 * kContext) {
      ++last;
    }
    out += formatHunk(linesBefore, linesAfter, first, last);
    first = last;
  }
  return out;
}

std::string patchPath(const std::filesystem::path& file) {
  std::error_code code;
  const auto full = std::filesystem::weakly_canonical(file, code);
  for (auto folder = full.parent_path(); !code && !folder.empty(); folder = folder.parent_path()) {
    if (std::filesystem::exists(folder / ".git", code)) {
      return full.lexically_relative(folder).generic_string();
    }
    if (folder == folder.parent_path()) {
      break;
    }
  }
  const auto given = file.lexically_normal();
  const bool above = given.is_absolute() || given.string().starts_with("..");
  return above ? file.filename().string() : given.generic_string();
}

}  // namespace hone
