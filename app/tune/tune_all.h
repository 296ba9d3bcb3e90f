#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/common/toolchain.h"
#include "app/tune/tune_report.h"
#include "engine/plan/trial_context.h"

namespace hone::app {

/// A program that could not be tuned.
struct LeftOut {
  std::string program;
  std::string error;
};

/// What came of all programs of a run.
struct AllTuned {
  std::vector<TunedProgram> tuned;
  std::vector<LeftOut> leftOut;
  /// What ended it before all were tuned, like a device that is gone.
  std::optional<Error> ended;
};

/// Tunes one program after the other, each with these options. One of several that does not compile
/// or run is left out; where that is true of all it is a user error. What this machine does not do
/// any more ends it, with those that are proven. With a starter spec its
/// entries are tried first.
[[nodiscard]] Result<AllTuned> tuneAll(const engine::TrialContext& bench, Toolchain& toolchain,
                                       std::vector<tune::WholeProgram> programs,
                                       const tune::TuneOptions& options,
                                       const std::string& starterSpec,
                                       const std::filesystem::path& folder);

/// For the store and --json, without the CPU time of hone itself.
[[nodiscard]] model::TuneResult resultOf(const AllTuned& all);

}  // namespace hone::app
