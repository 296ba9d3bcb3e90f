#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/workload/workload.h"

namespace hone::app {

/// A line of a workload file. A line with neither a problem nor an error is blank or a comment.
struct FileLine {
  std::string text;
  std::optional<model::Problem> problem;  ///< the first one on this line
  /// All problems of this line, such as the directions of one convolution.
  std::vector<model::Problem> problems{};
  bool bad = false;
};

/// A workload and the lines of its file, to copy lines to another file.
struct WorkloadFile {
  model::Workload workload;
  std::vector<FileLine> lines;
};

[[nodiscard]] Result<WorkloadFile> readWorkloadFile(const std::string& file);

/// Drops everything after the `count`th line with a problem.
void cutAfter(WorkloadFile& file, std::int64_t count);

/// Lines selected from a workload.
struct WorkloadPart {
  std::string text;
  std::size_t lines = 0;  ///< without comments and blank lines
};

/// Returns the problem lines that `takes` accepts, each with the comments before it.
[[nodiscard]] WorkloadPart selectLines(const WorkloadFile& file,
                                       const std::function<bool(const FileLine&)>& takes);

}  // namespace hone::app
