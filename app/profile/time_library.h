#pragma once

#include "app/common/context.h"

namespace CLI {
class App;
}

namespace hone::app {

/// `hone time-library`: times a problem by oneDNN, or the memory, in this process. Not for people:
/// profile::LibraryProvider starts it as a child and reads its answer, a line of JSON.
void addTimeLibraryVerb(CLI::App& app, Context& context);

}  // namespace hone::app
