#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// `hone kernel-worker`: runs one C++ kernel for the judge. Not for people: kernel::Worker starts
/// it and speaks docs/kernel-worker.md with it.
void addKernelWorkerVerb(CLI::App& app, Context& context);

}  // namespace hone::app
