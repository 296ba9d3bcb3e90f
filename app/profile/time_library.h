#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone time-library`: times a problem with oneDNN, or the memory, in this process. Internal:
/// profile::LibraryProvider starts it as a child and reads one line of JSON.
void addTimeLibraryCommand(CLI::App& app, Context& context);

}  // namespace hone::app
