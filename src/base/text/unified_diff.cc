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
/// Beyond so many changes the search takes too long: the rest is replaced as a whole.
constexpr std::ptrdiff_t kMostChanges = 2000;

/// Lines that are taken out and put in at one place. Everything between changes is equal.
struct Change {
  std::size_t beforeBegin = 0, beforeEnd = 0;
  std::size_t afterBegin = 0, afterEnd = 0;
};

/// With their line ends; only the last may have none.
Lines linesOf(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end == std::string_view::npos ? end : end + 1));
    text.remove_prefix(lines.back().size());
  }
  return lines;
}

/// The search of Myers, "An O(ND) difference algorithm and its variations": for every number of
/// changes, how far each diagonal gets.
class Search {
 public:
  Search(const Lines& before, const Lines& after)
      : before_(before),
        after_(after),
        rows_(static_cast<std::ptrdiff_t>(before.size())),
        columns_(static_cast<std::ptrdiff_t>(after.size())) {}

  /// The changes, in order.
  std::vector<Change> run() {
    const std::ptrdiff_t most = std::min(kMostChanges, rows_ + columns_);
    for (std::ptrdiff_t count = 0; count <= most; ++count) {
      reached_.emplace_back(static_cast<std::size_t>(2 * count + 1));
      for (std::ptrdiff_t diagonal = -count; diagonal <= count; diagonal += 2) {
        std::ptrdiff_t row = startOf(count, diagonal);
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
  /// Whether the last of so many changes on the diagonal puts a line in; otherwise it takes one
  /// out.
  bool putsIn(std::ptrdiff_t count, std::ptrdiff_t diagonal) {
    return diagonal == -count ||
           (diagonal != count && at(count - 1, diagonal - 1) < at(count - 1, diagonal + 1));
  }
  /// The row behind that change.
  std::ptrdiff_t startOf(std::ptrdiff_t count, std::ptrdiff_t diagonal) {
    if (count == 0) {
      return 0;
    }
    return putsIn(count, diagonal) ? at(count - 1, diagonal + 1) : at(count - 1, diagonal - 1) + 1;
  }

  std::vector<Change> walkBack(std::ptrdiff_t count) {
    std::vector<Change> changes;
    std::ptrdiff_t diagonal = rows_ - columns_;
    for (; count > 0; --count) {
      const bool in = putsIn(count, diagonal);
      const std::ptrdiff_t row = startOf(count, diagonal);
      const std::ptrdiff_t column = row - diagonal;
      const Change one{static_cast<std::size_t>(in ? row : row - 1), static_cast<std::size_t>(row),
                       static_cast<std::size_t>(in ? column - 1 : column),
                       static_cast<std::size_t>(column)};
      if (!changes.empty() && changes.back().beforeBegin == one.beforeEnd &&
          changes.back().afterBegin == one.afterEnd) {
        changes.back().beforeBegin = one.beforeBegin;
        changes.back().afterBegin = one.afterBegin;
      } else {
        changes.push_back(one);
      }
      diagonal += in ? 1 : -1;
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
  auto changes = Search(middleBefore, middleAfter).run();
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

/// "12,7": from line 12 on, seven lines. Of no lines: the line before them.
std::string rangeText(std::size_t begin, std::size_t end) {
  return fmt::format("{},{}", begin == end ? begin : begin + 1, end - begin);
}

/// The hunk with the changes from `first` to `last`, which is behind them.
std::string hunk(const Lines& before, const Lines& after, std::vector<Change>::const_iterator first,
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
  const Lines linesBefore = linesOf(before);
  const Lines linesAfter = linesOf(after);
  const std::vector<Change> changes = changesBetween(linesBefore, linesAfter);
  // A tab ends a name that has blanks in it.
  const std::string_view nameEnd = path.contains(' ') ? "\t" : "";
  std::string out = fmt::format("--- a/{}{}\n+++ b/{}{}\n", path, nameEnd, path, nameEnd);
  for (auto first = changes.begin(); first != changes.end();) {
    auto last = first + 1;
    while (last != changes.end() && last->beforeBegin - (last - 1)->beforeEnd <= 2 * kContext) {
      ++last;
    }
    out += hunk(linesBefore, linesAfter, first, last);
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
