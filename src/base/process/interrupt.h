#pragma once

#include "base/error.h"

namespace hone {

/// From now on SIGINT, SIGTERM and, unless it is ignored as under nohup, SIGHUP set a flag instead
/// of ending the process; whatever waits (subprocesses, pools) sees it, ends its children and
/// returns the error below. A second signal ends the process at once.
void catchInterrupts();
[[nodiscard]] bool interrupted();
[[nodiscard]] std::unexpected<Error> interruptedError();

/// While it lives, one signal more than before is borne: what must be put right before the end
/// takes a while.
class InterruptsHeld {
 public:
  InterruptsHeld();
  InterruptsHeld(const InterruptsHeld&) = delete;
  InterruptsHeld& operator=(const InterruptsHeld&) = delete;
  ~InterruptsHeld();
};

}  // namespace hone
