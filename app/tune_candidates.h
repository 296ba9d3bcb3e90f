#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/engine.h"
#include "trial/budget.h"
#include "tune/candidate_folder.h"
#include "tune/subjects.h"

namespace hone::app {

struct CompileOnlyOptions {
  std::string folder;            ///< "": named after the program
  std::size_t candidates = 100;  ///< for each dispatch
  trial::Budget time;            ///< for all together; what is left of it is shared evenly
  tune::SubjectOptions subjects;
  std::vector<std::string> flags;  ///< the user's own
  std::vector<std::string> inputs;
};

/// Draws candidates for the programs' dispatches and compiles them, for a machine that has the
/// device to measure them on: `hone tune --continue`.
[[nodiscard]] Result<int> compileOnly(const Context& context, Engine& engine,
                                      const std::vector<tune::WholeProgram>& programs,
                                      const CompileOnlyOptions& options);

}  // namespace hone::app
