#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "model/workload/workload.h"

namespace hone::report {

/// The problems of a workload in their order, a line each that fits the width, and what they are
/// altogether.
[[nodiscard]] std::string workloadText(std::span<const model::WorkloadEntry> entries,
                                       std::size_t width);
/// The same with the line's own text, the whole problem and the lines that cannot be read.
[[nodiscard]] nlohmann::json workloadJson(const model::Workload& workload);

}  // namespace hone::report
