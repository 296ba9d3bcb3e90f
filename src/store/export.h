#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/error.h"
#include "store/store.h"

namespace hone::store {

/// Converts records to JSON with members named like the columns. Always UTF-8.
[[nodiscard]] nlohmann::json toJson(const Run& run);
[[nodiscard]] nlohmann::json toJson(const Trial& trial);
[[nodiscard]] nlohmann::json toJson(const TrialLine& trial);
[[nodiscard]] nlohmann::json toJson(const model::Sample& sample);
[[nodiscard]] nlohmann::json toJson(const Node& node);

/// Returns a run with its trials and all samples as one JSON document.
[[nodiscard]] Result<nlohmann::json> exportJson(const Store& store, std::int64_t run);

/// Returns one CSV row per sample, and one row without times for a trial without samples. Columns:
/// run, trial, problem, config, outcome, message, stage, round, position, repetition, iterations,
/// wall_ns, cpu_ns, artifact, flags, node (the cluster node that took the sample, or "").
[[nodiscard]] Result<std::string> exportCsv(const Store& store, std::int64_t run);

}  // namespace hone::store
