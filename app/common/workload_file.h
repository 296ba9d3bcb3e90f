#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/workload/workload.h"

namespace hone::app {

/// A line of the file; one that asks for nothing and is not bad is blank or a comment.
struct FileLine {
  std::string text;
  std::optional<model::Problem> problem;  ///< the first that it asks for; all are of one kind
  bool bad = false;
};

/// A workload with all the lines of its file, for those who write lines of it to another one.
struct WorkloadFile {
  model::Workload workload;
  std::vector<FileLine> lines;
};

[[nodiscard]] Result<WorkloadFile> readWorkloadFile(const std::string& file);

/// Drops what stands behind the `count`th line that asks for a problem.
void cutAfter(WorkloadFile& file, std::int64_t count);

/// Lines of a workload for another file.
struct WorkloadPart {
  std::string text;
  std::size_t lines = 0;  ///< without comments and blank ones
};

/// The lines that ask for a problem and that `takes` says yes of, each with the comments before it.
[[nodiscard]] WorkloadPart partOf(const WorkloadFile& file,
                                  const std::function<bool(const FileLine&)>& takes);

}  // namespace hone::app
