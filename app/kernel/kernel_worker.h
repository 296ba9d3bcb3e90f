#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone kernel-worker`: runs one C++ kernel for the judge. Internal: kernel::Worker starts it
/// and uses the protocol of docs/kernel-worker.md.
void addKernelWorkerCommand(CLI::App& app, Context& context);

}  // namespace hone::app
