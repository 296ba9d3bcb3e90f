#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "model/workload/workload.h"

namespace hone::report {

/// Formats the problems of a workload in order, one line each, cut to `width`, then the totals.
[[nodiscard]] std::string workloadText(std::span<const model::WorkloadEntry> entries,
                                       std::size_t width);
/// As above in JSON, with the text of each line, the full problem, and the invalid lines.
[[nodiscard]] nlohmann::json workloadJson(const model::Workload& workload);

}  // namespace hone::report
