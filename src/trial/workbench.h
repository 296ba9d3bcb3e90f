#pragma once

#include <cstdint>

#include "base/progress.h"
#include "iree/compiler.h"
#include "iree/execution.h"
#include "store/store.h"

namespace hone::trial {

/// What candidates are tried with, and the run that all is recorded under.
struct Workbench {
  iree::Compiler& compiler;
  const iree::Executor& executor;
  store::Store& store;
  Progress& progress;
  std::int64_t run = 0;
};

}  // namespace hone::trial
