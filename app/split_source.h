#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/context.h"
#include "split/heuristic.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone split apply`: derived heuristics as a patch for a user's SetSplitReductionSizes.cpp.
void addSplitApply(CLI::App& split, Context& context);

/// The heuristics of a recommendation for the form, of the ladder "1d" or "2d"; none of them is a
/// user error.
[[nodiscard]] Result<std::vector<split::Heuristic>> readHeuristics(
    const std::filesystem::path& file, split::SourceForm form, const std::string& ladder);

}  // namespace hone::app
