#pragma once

#include "base/error.h"
#include "base/process/subprocess.h"

namespace hone {

/// Like runCommand, but also runs after an interrupt: for cleanup before exit.
[[nodiscard]] Result<Finished> runCleanup(const Command& command);

}  // namespace hone
