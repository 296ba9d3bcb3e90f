#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone report`: writes runs as one HTML file.
void addReportCommand(CLI::App& app, Context& context);

}  // namespace hone::app
