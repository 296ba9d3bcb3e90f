#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// `hone report`: a run as one HTML file.
void addReportVerb(CLI::App& app, Context& context);

}  // namespace hone::app
