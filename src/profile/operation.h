#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"

namespace hone::profile {

/// What is profiled: a problem, by its name in IREE's dispatch profiler. How a matmul is split
/// along k changes its speed and not its meaning, but that profiler, and so this one, counts it as
/// an operation of its own.
struct Operation {
  model::Problem problem;
  /// Not empty: a split-k matmul, with a configuration for each number of slices.
  std::vector<std::int64_t> splitKSlices;

  /// "matmul", "split_k_matmul", "conv2d_bias_relu": the folder that it is generated in.
  [[nodiscard]] std::string kind() const;
  /// "matmul_128x128x256_f16t_f16t_f16t", "matmul_splitk_…".
  [[nodiscard]] std::string name() const;
  bool operator==(const Operation&) const = default;
};

/// The operation's arguments as a report shows them, in order; `slices` 0: not split.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> argumentsOf(
    const Operation& operation, std::int64_t slices);

[[nodiscard]] nlohmann::json toJson(const Operation& operation);
[[nodiscard]] Result<Operation> operationFrom(const nlohmann::json& json);

}  // namespace hone::profile
