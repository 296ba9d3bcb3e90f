#include "model/workload/workload.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/text/text.h"
#include "base/text/text_file.h"
#include "model/workload/aten.h"
#include "model/workload/miopen.h"

namespace hone::model {
namespace {

constexpr std::array<std::string_view, 2> kDrivers = {"MIOpenDriver", "iree-boo-driver"};
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Returns the words before a comment. Views avoid a copy per word: workloads are long.
std::vector<std::string_view> splitWords(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r\n\v\f";
  std::vector<std::string_view> words;
  std::size_t end = 0;
  for (;;) {
    const std::size_t start = line.find_first_not_of(kBlank, end);
    if (start == std::string_view::npos || line[start] == '#') {
      return words;
    }
    end = std::min(line.find_first_of(kBlank, start), line.size());
    words.push_back(line.substr(start, end - start));
  }
}

bool isDriver(std::string_view word) {
  const std::size_t slash = word.find_last_of("/\\");
  const std::string_view name = slash == std::string_view::npos ? word : word.substr(slash + 1);
  return std::find(kDrivers.begin(), kDrivers.end(), name) != kDrivers.end();
}

/// Returns the command and its options: the words after the driver's name, if there is one.
std::span<const std::string_view> commandIn(std::span<const std::string_view> words) {
  const auto driver = std::find_if(words.begin(), words.end(), isDriver);
  return driver == words.end() ? words : std::span(driver + 1, words.end());
}

}  // namespace

Result<std::vector<Problem>> problemsFromLine(std::string_view line) {
  const std::vector<std::string_view> words = splitWords(line);
  if (words.empty()) {
    return std::vector<Problem>();
  }
  const auto command = commandIn(words);
  if (!command.empty() && command.front().starts_with("aten::")) {
    const std::string_view name = command.front();
    return problemsFromAten(line.substr(static_cast<std::size_t>(name.data() - line.data())));
  }
  return problemsFromCommand(command);
}

std::string_view extractCommand(std::string_view line) {
  const std::vector<std::string_view> words = splitWords(line);
  const auto command = commandIn(words);
  return command.empty() ? std::string_view() : command.front();
}

std::vector<std::string_view> workloadLines(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(trim(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Workload parseWorkload(std::string_view text, std::string_view file) {
  Workload workload;
  std::int64_t number = 0;
  for (const std::string_view line : workloadLines(text)) {
    ++number;
    const auto problems = problemsFromLine(line);
    const auto place = [&] { return WorkloadLine{std::string(file), number, std::string(line)}; };
    if (!problems) {
      Error error = problems.error();
      error.message = fmt::format("{}:{}: {}", file, number, error.message);
      workload.badLines.push_back({place(), std::move(error)});
      continue;
    }
    for (const Problem& problem : *problems) {
      workload.entries.push_back({problem, place()});
    }
  }
  return workload;
}

Result<Workload> readWorkload(const std::filesystem::path& file) {
  const std::string text = HONE_TRY(readTextFile(file));
  return parseWorkload(text, file.string());
}

std::vector<UniqueProblem> uniqueProblems(std::span<const WorkloadEntry> entries) {
  std::vector<UniqueProblem> unique;
  std::unordered_map<std::string, std::size_t> places;
  for (const WorkloadEntry& entry : entries) {
    const auto [at, isNew] = places.try_emplace(nameOf(entry.problem), unique.size());
    if (isNew) {
      unique.push_back({entry.problem, {}});
    }
    unique[at->second].lines.push_back(entry.line);
  }
  return unique;
}

}  // namespace hone::model
