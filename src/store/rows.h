#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/error.h"
#include "store/connection.h"
#include "store/records.h"

namespace hone::store {

// Readers of rows. They fail with a user error if a row is damaged, or has a name that only a newer
// version of hone knows.

/// Selects the columns that runFrom() reads.
inline constexpr std::string_view kRunColumns =
    "SELECT id, key, verb, arguments, working_folder, status, started_at, finished_at, "
    "hone_version, compiler_revision, host, cpu, target, device, seed, details, summary FROM runs ";
[[nodiscard]] Result<Run> runFrom(const Query& row);

/// Selects the columns that trialFrom() reads.
inline constexpr std::string_view kTrialColumns =
    "SELECT id, run, key, problem, config, outcome, message, artifact, compile_wall_ns, "
    "compile_cpu_ns, details, diagnostics FROM trials INDEXED BY trials_by_run ";
[[nodiscard]] Result<Trial> trialFrom(const Query& row);

/// Reads id, command, start, status, target, device, arguments, number of trials, cluster.
[[nodiscard]] Result<RunLine> runLineFrom(const Query& row);
/// Reads id, key, problem, outcome, message, artifact, compile time, name of the config.
[[nodiscard]] Result<TrialLine> trialLineFrom(const Query& row);
/// Reads trial, stage, round, position, repetition, wall time, CPU time, iterations, node.
[[nodiscard]] Result<TrialSample> sampleFrom(const Query& row);

[[nodiscard]] Result<RunStatus> statusFrom(const std::string& name);
/// Fails unless the text is JSON.
[[nodiscard]] Result<nlohmann::json> parseJson(const std::string& text, std::string_view what);

}  // namespace hone::store
