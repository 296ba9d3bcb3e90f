#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone run-model`, which is not in the help: it runs or times a model with ONNX Runtime.
/// engine::ModelRuntime starts it as a child process.
void addRunModelCommand(CLI::App& app, Context& context);

}  // namespace hone::app
