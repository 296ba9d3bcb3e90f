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

/// A line of a workload, where it stands and as it is written there: reports show it to people, and
/// it is the `arguments` column of the CSV files.
struct WorkloadLine {
  std::string file;
  std::int64_t number = 0;  ///< from 1
  std::string text;         ///< without the blanks at its ends

  bool operator==(const WorkloadLine&) const = default;
};

/// A problem that a line asks for.
struct WorkloadEntry {
  Problem problem;
  WorkloadLine line;

  bool operator==(const WorkloadEntry&) const = default;
};

/// A line that asks for nothing hone can measure.
struct BadLine {
  WorkloadLine line;
  Error error;  ///< "FILE:LINE: what is wrong; what to do"
};

/// All that a workload's lines ask for, in their order. The caller decides whether bad lines end
/// the run or are shown and skipped.
struct Workload {
  std::vector<WorkloadEntry> entries;
  std::vector<BadLine> badLines;
};

/// A problem with all the lines that ask for it.
struct UniqueProblem {
  Problem problem;
  std::vector<WorkloadLine> lines;
};

/// The problems of one command line of MIOpenDriver or iree-boo-driver: "convfp16 -n 16 …",
/// "./bin/MIOpenDriver gemm -m 128 …". What stands before the driver's name is read over, so lines
/// of MIOpen's own log do. None for a blank line or a comment, several where -F says so (MIOpen's
/// default is all three directions). Errors say what is wrong and what to do, not where.
[[nodiscard]] Result<std::vector<Problem>> problemsFromLine(std::string_view line);

/// The word by which a line says what it asks for: "conv", "gemmfp16", or a name of the profiler;
/// "" for a blank line, a comment or a driver without a command.
[[nodiscard]] std::string_view commandOf(std::string_view line);

/// The lines of a text as people's editors write it: without a byte order mark, the line ends of
/// any system and the blanks at the ends. Views of the text; a line has the number of its place
/// from 1.
[[nodiscard]] std::vector<std::string_view> workloadLines(std::string_view text);

/// Reads every line of the text; the name of the file is only for messages.
[[nodiscard]] Workload parseWorkload(std::string_view text, std::string_view file);
/// The same for a file; fails only when it cannot be read.
[[nodiscard]] Result<Workload> readWorkload(const std::filesystem::path& file);

/// Each problem once, in the order of its first line.
[[nodiscard]] std::vector<UniqueProblem> uniqueProblems(std::span<const WorkloadEntry> entries);

}  // namespace hone::model
