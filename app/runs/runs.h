#pragma once

#include <CLI/CLI.hpp>

#include "app/common/context.h"
#include "base/error.h"
#include "store/records.h"

namespace hone::app {

/// `hone runs`: what was run, with `show`, `export` and `resume`.
void addRunsVerb(CLI::App& app, Context& context);

/// Goes on with a run where it stopped, by its verb and its arguments in its folder; the exit code.
/// The run is unfinished or failed: finished ones are refused before. No store is open when this is
/// called. Defined in app/runs/resume.cc, which knows the verbs.
[[nodiscard]] Result<int> resumeRun(const store::Run& run, Context& context);

}  // namespace hone::app
