#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "app/common/context.h"
#include "base/error.h"
#include "split/fit/recommendation.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone split apply`: writes heuristics as a patch of a user's SetSplitReductionSizes.cpp.
void addSplitApply(CLI::App& split, Context& context);

/// Returns the recommended heuristics for the forms of a user's SetSplitReductionSizes.cpp, also
/// those without a proven gain. Fails with a user error if there is none.
[[nodiscard]] Result<std::vector<split::Heuristic>> heuristicsFor(
    const std::filesystem::path& file, std::span<const split::Recommendation> recommendations);

}  // namespace hone::app
