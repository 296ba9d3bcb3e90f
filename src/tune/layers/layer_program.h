#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/program/program.h"
#include "tune/layers/layer_ways.h"

namespace hone::tune {

/// Returns a program that computes only this layer in this way: a function @main from images with
/// the channels last to a result with the channels last, as between two such layers. The filter is
/// a global, so that the compiler reorders it outside of the function.
[[nodiscard]] std::string layerProgram(const model::Layer& layer, const Way& way);

/// Returns a program that computes only this layer, with the operation and the layout of the
/// original program. The layer must be a convolution.
[[nodiscard]] std::string originalProgram(const model::Layer& layer);

/// Write the program to the folder and describe it.
[[nodiscard]] Result<engine::Program> writeLayerProgram(const model::Layer& layer, const Way& way,
                                                        const std::filesystem::path& folder);
[[nodiscard]] Result<engine::Program> writeOriginalProgram(const model::Layer& layer,
                                                           const std::filesystem::path& folder);

}  // namespace hone::tune
