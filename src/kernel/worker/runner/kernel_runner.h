#pragma once

namespace hone::kernel {

/// Loads a kernel and calls it whenever the supervisor resumes the process (docs/kernel-worker.md).
/// Irrevocably restricts the process.
[[noreturn]] void runKernel();

}  // namespace hone::kernel
