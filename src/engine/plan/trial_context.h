#pragma once

#include <cstdint>

#include "base/progress.h"
#include "engine/executor/executor.h"
#include "iree/compile/compiler.h"
#include "iree/run/execution.h"
#include "store/store.h"

namespace hone::engine {

/// Tools for trying candidates, and the run that records them.
struct TrialContext {
  iree::Compiler& compiler;
  const iree::ModuleRunner& runner;
  store::Store& store;
  Progress& progress;
  std::int64_t run = 0;
  Executor& executor;
};

}  // namespace hone::engine
