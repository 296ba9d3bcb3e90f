#pragma once

#include <CLI/CLI.hpp>

#include "app/common/context.h"

namespace hone::app {

/// Adds `hone runs`: lists runs, with `show`, `export` and `resume`.
void addRunsCommand(CLI::App& app, Context& context);

}  // namespace hone::app
