#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "iree/compile/compiler.h"
#include "split/sweep/choices.h"
#include "split/sweep/rebuild.h"

namespace hone::split {

/// How a compiler is built again for every limit.
struct RebuildOptions {
  std::filesystem::path source;  ///< SetSplitReductionSizes.cpp
  Build build;                   ///< leaves lib/libIREECompiler.so in its folder
  std::vector<std::int64_t> limits;
  std::vector<std::string> flags;  ///< the target's
  std::size_t workers = 2;
  Limits compileLimits;
};

/// The seed's method: the limit is fixed in the compiler's source, the compiler is built, and
/// compiles the problems; for every limit, and for the source as it is. All of them are built
/// before anything is measured, and the source is as it was afterwards, whatever happens. `wheel`
/// is the compiler that is asked what there is to split. The requests must be those that are
/// compiled later: what was not among them has no choices then.
[[nodiscard]] Result<ChoiceCompiler> rebuildChoices(iree::Compiler& wheel,
                                                    const RebuildOptions& options,
                                                    std::vector<iree::CompileRequest> requests,
                                                    Progress& progress);

/// The one file below a checkout of IREE that is edited.
[[nodiscard]] std::filesystem::path sourceIn(const std::filesystem::path& checkout);

}  // namespace hone::split
