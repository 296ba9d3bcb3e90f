#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"

namespace hone::profile {

/// A profiled problem, named as in IREE's dispatch profiler. Splitting a matmul along k changes its
/// speed but not its result. Like that profiler, hone nevertheless treats a split matmul as a
/// separate operation.
struct Operation {
  model::Problem problem;
  /// If not empty: a split-k matmul, with one configuration per number of slices.
  std::vector<std::int64_t> splitKSlices;

  /// Returns the kind, which names its folder: "matmul", "split_k_matmul", "conv2d_bias_relu".
  [[nodiscard]] std::string kind() const;
  /// Returns "matmul_128x128x256_f16t_f16t_f16t", "matmul_splitk_…".
  [[nodiscard]] std::string name() const;
  bool operator==(const Operation&) const = default;
};

/// Returns the operation's arguments as shown in reports, in order; `slices` 0: not split.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> listArguments(
    const Operation& operation, std::int64_t slices);

[[nodiscard]] nlohmann::json toJson(const Operation& operation);
[[nodiscard]] Result<Operation> operationFrom(const nlohmann::json& json);

}  // namespace hone::profile
