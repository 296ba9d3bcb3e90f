#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/common/context.h"
#include "app/common/toolchain.h"
#include "engine/budget.h"
#include "tune/candidates/candidate_folder.h"
#include "tune/program/tunable_finder.h"

namespace hone::app {

struct CompileOnlyOptions {
  std::string folder;            ///< "": named after the program
  std::size_t candidates = 100;  ///< per dispatch
  engine::Budget time;           ///< in total; each dispatch gets an equal share of the rest
  tune::DispatchSelection tunables;
  std::vector<std::string> flags;  ///< of the user
  std::vector<std::string> inputs;
};

/// Samples and compiles candidates of the programs' dispatches. `hone tune --continue` measures
/// them on a machine with the device.
[[nodiscard]] Result<int> compileOnly(const Context& context, Toolchain& toolchain,
                                      const std::vector<tune::WholeProgram>& programs,
                                      const CompileOnlyOptions& options);

}  // namespace hone::app
