#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// `hone workload`: shows a file of problems, takes its first lines, splits it by kind.
void addWorkloadVerb(CLI::App& app, Context& context);

}  // namespace hone::app
