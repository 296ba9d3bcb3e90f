#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone kernel`: lists kernels slower than PyTorch, writes first kernels, optimizes them turn
/// by turn, and shows the library of techniques.
void addKernelCommand(CLI::App& app, Context& context);

}  // namespace hone::app
