#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/common/toolchain.h"
#include "app/tune/tune_report.h"
#include "engine/plan/trial_context.h"
#include "model/result/summary/tune_result.h"

namespace hone::app {

/// Results of all programs of a run.
struct TuneAllResult {
  std::vector<TunedProgram> tuned;
  std::vector<model::SkippedProgram> skipped;
  /// Error that stopped the run before all programs were tuned, e.g. a lost device.
  std::optional<Error> ended;
};

/// Tunes the programs in order. Skips programs that do not compile or run; fails with a user error
/// if it skips all of them. A machine error stops the run and keeps the programs tuned so far.
/// Tries the entries of `starterSpec`, if not empty, first.
[[nodiscard]] Result<TuneAllResult> tuneAll(const engine::TrialContext& bench, Toolchain& toolchain,
                                            std::vector<tune::WholeProgram> programs,
                                            const tune::TuneOptions& options,
                                            const std::string& starterSpec,
                                            const std::filesystem::path& folder);

/// Returns the result for the store and --json, without hone's own CPU time.
[[nodiscard]] model::TuneResult toResult(const TuneAllResult& all);

}  // namespace hone::app
