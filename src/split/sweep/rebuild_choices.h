#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "iree/compile/compiler.h"
#include "split/fit/heuristic.h"
#include "split/sweep/choices.h"
#include "split/sweep/rebuild.h"

namespace hone::split {

/// Options for rebuilding the compiler.
struct RebuildOptions {
  std::filesystem::path source;  ///< SetSplitReductionSizes.cpp
  Build build;                   ///< must produce lib/libIREECompiler.so in its folder
  std::vector<std::int64_t> limits;
  std::vector<Heuristic> recommended;  ///< code for one more compiler; empty: none
  std::vector<std::string> flags;      ///< flags of the target
  std::size_t workers = 2;
  Limits compileLimits;
};

/// Compiles choices by rebuilding the compiler: for every limit, fixes the limit in the compiler's
/// source, builds the compiler and compiles the problems. Does the same with the original source
/// and with the recommended code. All compilers are built before the first measurement, and the
/// source is restored in all cases.
///
/// `wheel` is the compiler that finds the reductions. `requests` must contain all problems compiled
/// later; other problems have no choices.
[[nodiscard]] Result<ChoiceCompiler> rebuildChoices(iree::Compiler& wheel,
                                                    const RebuildOptions& options,
                                                    std::vector<iree::CompileRequest> requests,
                                                    Progress& progress);

/// Returns the edited file in a checkout of IREE.
[[nodiscard]] std::filesystem::path sourceIn(const std::filesystem::path& checkout);

}  // namespace hone::split
