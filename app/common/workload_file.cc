#include "app/common/workload_file.h"

#include <utility>

#include "base/text/text_file.h"

namespace hone::app {

Result<WorkloadFile> readWorkloadFile(const std::string& file) {
  const std::string text = HONE_TRY(readTextFile(file));
  WorkloadFile read;
  read.workload = model::parseWorkload(text, file);
  for (const std::string_view line : model::workloadLines(text)) {
    read.lines.push_back({.text = std::string(line), .problem = std::nullopt});
  }
  const auto findLine = [&](const model::WorkloadLine& line) -> FileLine& {
    return read.lines[static_cast<std::size_t>(line.number - 1)];
  };
  for (const model::BadLine& bad : read.workload.badLines) {
    findLine(bad.line).bad = true;
  }
  for (const model::WorkloadEntry& entry : read.workload.entries) {
    FileLine& line = findLine(entry.line);
    line.problem = line.problem.value_or(entry.problem);
    line.problems.push_back(entry.problem);
  }
  return read;
}

void cutAfter(WorkloadFile& file, std::int64_t count) {
  std::size_t end = 0;
  for (; end < file.lines.size() && count > 0; ++end) {
    count -= file.lines[end].problem ? 1 : 0;
  }
  file.lines.resize(end);
  const auto isBehind = [&](const auto& one) { return std::cmp_greater(one.line.number, end); };
  std::erase_if(file.workload.badLines, isBehind);
  std::erase_if(file.workload.entries, isBehind);
}

WorkloadPart selectLines(const WorkloadFile& file,
                         const std::function<bool(const FileLine&)>& takes) {
  WorkloadPart part;
  std::string comments;
  for (const FileLine& line : file.lines) {
    if (line.problem) {
      const std::string before = std::exchange(comments, {});
      if (takes(line)) {
        part.text += fmt::format("{}{}\n", before, line.text);
        ++part.lines;
      }
    } else if (!line.bad) {
      comments += line.text + "\n";
    }
  }
  return part;
}

}  // namespace hone::app
