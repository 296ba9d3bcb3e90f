#pragma once

#include "base/error.h"
#include "base/file.h"

namespace hone::engine {

// One lane a machine and user: many may compile at a time, but who measures is alone, also between
// several runs of hone. Let go when the value goes.

[[nodiscard]] Result<FileLock> enterToCompile();
[[nodiscard]] Result<FileLock> enterToMeasure();

}  // namespace hone::engine
