#pragma once

#include <CLI/CLI.hpp>

#include "app/common/context.h"

namespace hone::app {

/// `hone runs`: what was run, with `show`, `export` and `resume`.
void addRunsVerb(CLI::App& app, Context& context);

}  // namespace hone::app
