#pragma once

#include "base/error.h"

namespace hone {

/// From now on SIGINT and SIGTERM set a flag instead of ending the process; whatever waits
/// (subprocesses, pools) sees it, ends its children and returns the error below. A second signal
/// ends the process at once.
void catchInterrupts();
[[nodiscard]] bool interrupted();
[[nodiscard]] std::unexpected<Error> interruptedError();

}  // namespace hone
