#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/problem/tensor_type.h"

namespace hone::model {

/// softmax(q kᵀ / sqrt(depth)) v, for q[batch,queries,depth], k and v[batch,keys,depth]. The batch
/// includes the heads. Scores and sums are in f32 for every type.
struct Attention {
  std::int64_t batch = 1, queries = 1, keys = 1, depth = 1;
  ElementType type = ElementType::f32;

  bool operator==(const Attention&) const = default;
};

// See problem.h.
[[nodiscard]] Result<void> checkSizes(const Attention& attention);
[[nodiscard]] std::string nameOf(const Attention& attention);
[[nodiscard]] std::vector<TensorType> operandTypes(const Attention& attention);
[[nodiscard]] TensorType resultType(const Attention& attention);
[[nodiscard]] std::int64_t reductionLength(const Attention& attention);
[[nodiscard]] double countFlops(const Attention& attention);
[[nodiscard]] nlohmann::json toJson(const Attention& attention);
[[nodiscard]] Result<Attention> attentionFrom(const nlohmann::json& json);

}  // namespace hone::model
