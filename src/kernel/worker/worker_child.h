#pragma once

namespace hone::kernel {

/// Runs the C++ worker: serves requests (docs/kernel-worker.md) until the channel closes.
/// Irrevocably restricts the process. Returns the exit code.
[[nodiscard]] int serveKernels();

}  // namespace hone::kernel
