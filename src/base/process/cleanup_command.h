#pragma once

#include "base/error.h"
#include "base/process/subprocess.h"

namespace hone {

/// As runCommand, but also after an interrupt: for what must be put right before the end.
[[nodiscard]] Result<Finished> runCleanup(const Command& command);

}  // namespace hone
