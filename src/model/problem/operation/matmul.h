#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/problem/operation/epilogue.h"
#include "model/problem/tensor_type.h"

namespace hone::model {

/// result[b,m,n] = sum over k of lhs[b,m,k] * rhs[b,k,n]; batch 0 means no batch dimension.
struct Matmul {
  std::int64_t batch = 0;
  std::int64_t m = 0, n = 0, k = 0;
  bool transposeLhs = false;  ///< lhs is stored as [k,m]
  bool transposeRhs = false;  ///< rhs is stored as [n,k]
  ElementType lhs = ElementType::f32;
  ElementType rhs = ElementType::f32;
  ElementType result = ElementType::f32;
  Epilogue epilogue{};

  bool operator==(const Matmul&) const = default;
};

// See problem.h.
[[nodiscard]] Result<void> checkSizes(const Matmul& matmul);
[[nodiscard]] std::string nameOf(const Matmul& matmul);
[[nodiscard]] std::vector<TensorType> operandTypes(const Matmul& matmul);
[[nodiscard]] TensorType resultType(const Matmul& matmul);
[[nodiscard]] std::int64_t reductionLength(const Matmul& matmul);
[[nodiscard]] double countFlops(const Matmul& matmul);
[[nodiscard]] nlohmann::json toJson(const Matmul& matmul);
[[nodiscard]] Result<Matmul> matmulFrom(const nlohmann::json& json);

}  // namespace hone::model
