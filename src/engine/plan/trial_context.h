#pragma once

#include <cstdint>

#include "base/progress.h"
#include "engine/executor/executor.h"
#include "iree/compile/compiler.h"
#include "iree/run/execution.h"
#include "store/store.h"

namespace hone::engine {

/// The tools that candidates are tried with, and the run that everything is recorded under.
struct TrialContext {
  iree::Compiler& compiler;
  const iree::ModuleRunner& runner;
  store::Store& store;
  Progress& progress;
  std::int64_t run = 0;
  Executor& executor;
};

}  // namespace hone::engine
