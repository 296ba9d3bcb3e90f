#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/common/context.h"
#include "app/common/toolchain.h"
#include "engine/budget.h"
#include "tune/candidates/candidate_folder.h"
#include "tune/program/subjects.h"

namespace hone::app {

struct CompileOnlyOptions {
  std::string folder;            ///< "": named after the program
  std::size_t candidates = 100;  ///< for each dispatch
  engine::Budget time;           ///< for all together; what is left of it is shared evenly
  tune::SubjectOptions subjects;
  std::vector<std::string> flags;  ///< the user's own
  std::vector<std::string> inputs;
};

/// Draws candidates for the programs' dispatches and compiles them, for a machine that has the
/// device to measure them on: `hone tune --continue`.
[[nodiscard]] Result<int> compileOnly(const Context& context, Toolchain& toolchain,
                                      const std::vector<tune::WholeProgram>& programs,
                                      const CompileOnlyOptions& options);

}  // namespace hone::app
