#include "kernel/propose/llm/diff_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

struct HunkLine {
  char kind = ' ';  ///< ' ', '-' or '+'
  std::string text;
};

struct Hunk {
  std::optional<std::int64_t> line;  ///< in the old file, counted from 1
  std::vector<HunkLine> lines;

  /// Returns the lines that the old file must have.
  [[nodiscard]] std::vector<std::string> oldLines() const {
    std::vector<std::string> old;
    for (const HunkLine& line : lines) {
      if (line.kind != '+') {
        old.push_back(line.text);
      }
    }
    return old;
  }
};

bool isHunkHeader(std::string_view line) { return line.starts_with("@@"); }

/// Returns true if the two lines name the old and the new file.
bool isFileHeader(std::string_view line, std::string_view next) {
  return line.starts_with("--- ") && next.starts_with("+++ ");
}

/// Returns the line number of "@@ -12,7 +12,9 @@"; nothing if there is none.
std::optional<std::int64_t> hunkLine(std::string_view header) {
  const auto minus = header.find('-');
  if (minus == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = header.substr(minus + 1);
  return parseInt(rest.substr(0, rest.find_first_not_of("0123456789")));
}

HunkLine hunkLineFrom(const std::string& line) {
  // Models drop the blank that marks an unchanged empty line, and sometimes that of other lines.
  const bool marked = !line.empty() && std::string_view(" +-").contains(line.front());
  return marked ? HunkLine{line.front(), line.substr(1)} : HunkLine{' ', line};
}

std::vector<Hunk> parseHunks(std::string_view diff) {
  std::vector<std::string> lines = splitAt(diff, '\n');
  while (!lines.empty() && trim(lines.back()).empty()) {
    lines.pop_back();
  }
  std::vector<Hunk> hunks;
  bool inHunk = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string next = i + 1 < lines.size() ? lines[i + 1] : "";
    if (isFileHeader(lines[i], next)) {
      ++i;
      // A diff without hunk headers is one hunk.
      inHunk = i + 1 < lines.size() && !isHunkHeader(lines[i + 1]);
      if (inHunk) {
        hunks.emplace_back();
      }
    } else if (isHunkHeader(lines[i])) {
      hunks.push_back({hunkLine(lines[i]), {}});
      inHunk = true;
    } else if (inHunk && !lines[i].starts_with('\\')) {
      hunks.back().lines.push_back(hunkLineFrom(lines[i]));
    }
  }
  return hunks;
}

std::string_view withoutTrailingBlanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);  // npos + 1 is 0
}

using SameLine = bool (*)(std::string_view, std::string_view);

/// Returns the positions from `first` on at which all old lines occur.
std::vector<std::size_t> findLines(const std::vector<std::string>& file, std::size_t first,
                                   const std::vector<std::string>& old, SameLine same) {
  std::vector<std::size_t> found;
  for (std::size_t at = first; at + old.size() <= file.size(); ++at) {
    bool all = true;
    for (std::size_t i = 0; i < old.size() && all; ++i) {
      all = same(file[at + i], old[i]);
    }
    if (all) {
      found.push_back(at);
    }
  }
  return found;
}

/// Returns the first old line that the file does not have, for the message.
std::string findMissing(const std::vector<std::string>& file, const std::vector<std::string>& old) {
  for (const std::string& line : old) {
    if (std::ranges::none_of(file,
                             [&](const std::string& one) { return trim(one) == trim(line); })) {
      return fmt::format("the kernel has no line '{}'", shortened(trim(line), 80));
    }
  }
  return "its lines do not follow each other in the kernel";
}

/// Returns the position of a hunk in the file, or the reason why there is none.
std::expected<std::size_t, std::string> placeHunk(const std::vector<std::string>& file,
                                                  std::size_t first, const Hunk& hunk,
                                                  std::int64_t shift) {
  const std::vector<std::string> old = hunk.oldLines();
  if (old.empty()) {
    if (!hunk.line || *hunk.line + shift < static_cast<std::int64_t>(first) ||
        *hunk.line + shift > static_cast<std::int64_t>(file.size())) {
      return std::unexpected("it has no context");
    }
    return static_cast<std::size_t>(*hunk.line + shift);
  }
  const SameLine exact = [](std::string_view a, std::string_view b) {
    return withoutTrailingBlanks(a) == withoutTrailingBlanks(b);
  };
  const SameLine loose = [](std::string_view a, std::string_view b) { return trim(a) == trim(b); };
  for (const SameLine same : {exact, loose}) {
    const std::vector<std::size_t> found = findLines(file, first, old, same);
    if (found.size() > 1 && !hunk.line) {
      return std::unexpected("its lines occur several times and it has no line number");
    }
    if (!found.empty()) {
      const std::int64_t wanted = hunk.line.value_or(1) - 1 + shift;
      return *std::ranges::min_element(found, {}, [&](std::size_t at) {
        return std::abs(static_cast<std::int64_t>(at) - wanted);
      });
    }
  }
  return std::unexpected(findMissing(file, old));
}

}  // namespace

bool isDiff(std::string_view text) {
  const std::vector<std::string> lines = splitAt(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (isHunkHeader(lines[i]) || (i + 1 < lines.size() && isFileHeader(lines[i], lines[i + 1]))) {
      return true;
    }
  }
  return false;
}

std::expected<std::string, std::string> applyDiff(std::string_view base, std::string_view diff) {
  const std::vector<Hunk> hunks = parseHunks(diff);
  if (hunks.empty()) {
    return std::unexpected("the diff has no hunk");
  }
  std::vector<std::string> file = splitAt(base, '\n');
  std::size_t first = 0;   // lines before it are done
  std::int64_t shift = 0;  // by which earlier hunks moved the lines
  for (std::size_t number = 0; number < hunks.size(); ++number) {
    const Hunk& hunk = hunks[number];
    const auto place = placeHunk(file, first, hunk, shift);
    if (!place) {
      return std::unexpected(
          fmt::format("the diff does not apply: hunk {}: {}", number + 1, place.error()));
    }
    std::vector<std::string> replaced;
    std::size_t taken = 0;
    for (const HunkLine& line : hunk.lines) {
      if (line.kind == ' ') {
        replaced.push_back(file[*place + taken]);
      } else if (line.kind == '+') {
        replaced.push_back(line.text);
      }
      taken += line.kind == '+' ? 0 : 1;
    }
    const auto begin = file.begin() + static_cast<std::ptrdiff_t>(*place);
    file.erase(begin, begin + static_cast<std::ptrdiff_t>(taken));
    file.insert(file.begin() + static_cast<std::ptrdiff_t>(*place), replaced.begin(),
                replaced.end());
    first = *place + replaced.size();
    shift += static_cast<std::int64_t>(replaced.size()) - static_cast<std::int64_t>(taken);
  }
  return join(file, "\n");
}

}  // namespace hone::kernel
