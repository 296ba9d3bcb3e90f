#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"

namespace hone::model {

/// A line of a workload with its location and original text. Reports show the text; it is also the
/// `arguments` column of the CSV files.
struct WorkloadLine {
  std::string file;
  std::int64_t number = 0;  ///< from 1
  std::string text;         ///< without leading and trailing blanks

  bool operator==(const WorkloadLine&) const = default;
};

/// A problem requested by a line.
struct WorkloadEntry {
  Problem problem;
  WorkloadLine line;

  bool operator==(const WorkloadEntry&) const = default;
};

/// A line that hone cannot parse or measure.
struct BadLine {
  WorkloadLine line;
  Error error;  ///< "FILE:LINE: what is wrong; what to do"
};

/// Contents of a workload, in the order of its lines. The caller decides whether bad lines are
/// fatal or reported and skipped.
struct Workload {
  std::vector<WorkloadEntry> entries;
  std::vector<BadLine> badLines;
};

/// A problem with all lines that request it.
struct UniqueProblem {
  Problem problem;
  std::vector<WorkloadLine> lines;
};

/// Parses one command line of MIOpenDriver or iree-boo-driver: "convfp16 -n 16 …",
/// "./bin/MIOpenDriver gemm -m 128 …". Text before the driver's name is ignored, so lines of
/// MIOpen's log work. Operations of PyTorch, such as aten::mm, are described in aten.h.
///
/// Returns no problems for a blank line or a comment, and several if -F selects several directions
/// (MIOpen's default is all three). Errors say what is wrong and what to do, without the location.
[[nodiscard]] Result<std::vector<Problem>> problemsFromLine(std::string_view line);

/// Returns the command of a line: "conv", "gemmfp16", or an operation name of the dispatch
/// profiler. Returns "" for a blank line, a comment or a driver without a command.
[[nodiscard]] std::string_view extractCommand(std::string_view line);

/// Splits the text into lines without a byte order mark, line ends (LF or CRLF) and surrounding
/// blanks. The views refer to `text`; element i is line i + 1.
[[nodiscard]] std::vector<std::string_view> workloadLines(std::string_view text);

/// Parses every line of the text; `file` is used in messages only.
[[nodiscard]] Workload parseWorkload(std::string_view text, std::string_view file);
/// Parses a file; fails only if it cannot be read or is not text.
[[nodiscard]] Result<Workload> readWorkload(const std::filesystem::path& file);

/// Returns each problem once, in the order of its first line.
[[nodiscard]] std::vector<UniqueProblem> uniqueProblems(std::span<const WorkloadEntry> entries);

}  // namespace hone::model
