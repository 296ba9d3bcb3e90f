#pragma once

#include <cstdint>

#include "base/progress.h"
#include "iree/compile/compiler.h"
#include "iree/run/execution.h"
#include "store/store.h"

namespace hone::engine {

class Elsewhere;

/// What candidates are tried with, and the run that all is recorded under.
struct Workbench {
  iree::Compiler& compiler;
  const iree::ModuleRunner& runner;
  store::Store& store;
  Progress& progress;
  std::int64_t run = 0;
  Elsewhere* elsewhere = nullptr;  ///< where trials are made, if not here
};

}  // namespace hone::engine
