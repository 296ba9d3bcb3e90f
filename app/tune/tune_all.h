#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/common/toolchain.h"
#include "app/tune/tuned_result.h"
#include "engine/plan/trial_context.h"
#include "model/result/summary/tune_result.h"

namespace hone::app {

/// Results of all programs of a run.
struct TuneAllResult {
  std::size_t total = 0;  ///< programs to tune
  std::vector<TunedProgram> tuned;
  std::vector<model::SkippedProgram> skipped;
  /// Error that stopped the run before all programs were tuned, e.g. a lost device.
  std::optional<Error> ended;
};

/// Programs to tune in one run.
struct TuneAllRequest {
  std::vector<tune::WholeProgram> programs;
  tune::TuneOptions options;     ///< of each program
  std::string starterSpec;       ///< spec whose entries are tried first; "": none
  std::filesystem::path folder;  ///< for scratch files
};

/// Tunes the programs in order. Skips programs that do not compile or run; fails with a user error
/// if it skips all of them. A machine error stops the run and keeps the programs tuned so far.
[[nodiscard]] Result<TuneAllResult> tuneAll(const engine::TrialContext& bench, Toolchain& toolchain,
                                            TuneAllRequest request);

/// Returns the result for the store and --json, without hone's own CPU time.
[[nodiscard]] model::TuneResult toResult(const TuneAllResult& all);

}  // namespace hone::app
