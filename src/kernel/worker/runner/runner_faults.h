#pragma once

#include <vector>

#include "kernel/worker/runner/control_page.h"
#include "kernel/worker/runner/runner_tensors.h"

namespace hone::kernel {

/// Installs handlers for the signals that a kernel can raise (SIGSEGV, SIGFPE, SIGSYS, …). A
/// handler records numbers in `status` and ends the process with RunnerExit::fault. Kernel
/// processes only; `status` must stay mapped.
void catchFaults(StatusPage* status, std::vector<MappedTensor> tensors);

}  // namespace hone::kernel
