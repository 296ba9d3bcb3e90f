#pragma once

#include "base/error.h"

namespace hone {

/// Installs handlers so that SIGINT, SIGTERM and SIGHUP set a flag instead of ending the process.
/// SIGHUP stays ignored if it already is, as under nohup. Code that waits (subprocesses, pools)
/// checks the flag, kills its children and returns interruptedError(). A second signal ends the
/// process.
void catchInterrupts();
[[nodiscard]] bool interrupted();
[[nodiscard]] std::unexpected<Error> interruptedError();

/// While alive, the next signal does not end the process, even if it is the second, so that slow
/// cleanup can finish. Guards must not be nested: destruction restores the default.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();
};

}  // namespace hone
