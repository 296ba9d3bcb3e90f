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

/// A dispatch that was compiled or failed to compile.
struct BuiltDispatch {
  TuningConfig config;
  std::string name;
  std::filesystem::path module;  ///< "" if it failed
  std::string content;           ///< hash of the module
  iree::CompileReport report;
  bool cached = false;
};

/// An operation with its compiled dispatches.
struct Built {
  Generated generated;
  std::vector<BuiltDispatch> dispatches;
};

struct BuildOptions {
  std::vector<std::string> flags;  ///< flags of the target
  bool force = false;              ///< recompile what is in the cache
};

/// Compiles every operation as one module with a function per configuration, several modules in
/// parallel. If that fails, compiles each dispatch of the operation separately.
///
/// Writes <name>_profile.vmfb and <name>_verify.vmfb (the same file under both names) next to the
/// sources, and the compiler's output to iree_compile_cmd_stdout.mlir.
[[nodiscard]] Result<std::vector<Built>> build(iree::Compiler& compiler,
                                               std::span<const Generated> operations,
                                               const BuildOptions& options, Progress& progress);

}  // namespace hone::profile
