#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// `hone kernel`: kernels that are slower than PyTorch listed, made faster turn by turn, and the
/// library of techniques that is used for it.
void addKernelVerb(CLI::App& app, Context& context);

}  // namespace hone::app
