#pragma once

#include <vector>

#include "iree/module/compiler_api.h"
#include "model/problem/layer.h"

namespace hone::iree {

/// Lists the layers of a program in program order, each distinct one once, from its IR before
/// preprocessing, in a compile child. Omits operations with dynamic shapes.
[[nodiscard]] std::vector<model::Layer> layersIn(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
