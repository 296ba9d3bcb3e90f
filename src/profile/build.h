#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "iree/compile/compiler.h"
#include "profile/generated.h"

namespace hone::profile {

/// A dispatch that was compiled, or failed to.
struct BuiltDispatch {
  TuningConfig config;
  std::string name;
  std::filesystem::path module;  ///< "" when it failed
  std::string content;           ///< hash of the module
  iree::CompileReport report;
  bool cached = false;
};

struct Built {
  Generated generated;
  std::vector<BuiltDispatch> dispatches;
};

struct BuildOptions {
  std::vector<std::string> flags;  ///< the target's
  bool force = false;              ///< also what is compiled already
};

/// Compiles every operation as one module with a function for each configuration, several at a
/// time; one whose configurations do not all compile is compiled dispatch by dispatch. Beside the
/// sources appear <name>_profile.vmfb, <name>_verify.vmfb (the same file: it serves both) and
/// iree_compile_cmd_stdout.mlir with what the compiler said.
[[nodiscard]] Result<std::vector<Built>> build(iree::Compiler& compiler,
                                               std::span<const Generated> operations,
                                               const BuildOptions& options, Progress& progress);

}  // namespace hone::profile
