#pragma once

namespace hone::kernel {

/// The C++ worker: answers requests (docs/kernel-worker.md) until there are no more. Made for a
/// process of its own, which gives up most of what it may do; returns the exit code.
[[nodiscard]] int serveKernels();

}  // namespace hone::kernel
