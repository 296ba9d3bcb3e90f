#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"

namespace hone::model {

struct MatmulTypes {
  ElementType lhs = ElementType::f32;
  ElementType rhs = ElementType::f32;
  ElementType result = ElementType::f32;

  bool operator==(const MatmulTypes&) const = default;
};

/// Parses "128", "128,256", "64:1024:128" (start:end:step, step 1 by default) and mixes of them.
/// Returns each size once, in the given order. A range includes its end if a step reaches it:
/// 128:1280:128 is ten sizes. (IREE's dispatch profiler excluded the end, although its help said
/// "from 64 to 1024".) `argument` is the option's name, for errors.
[[nodiscard]] Result<std::vector<std::int64_t>> sizesFrom(std::string_view argument,
                                                          std::string_view text);

/// Parses "f32", "i8" (accumulated in i32), "f16_f16_f32" (lhs, rhs, result) and comma-separated
/// lists of them. A single name stands for all three types, as in a problem's name, except that i8
/// results are i32.
[[nodiscard]] Result<std::vector<MatmulTypes>> matmulTypesFrom(std::string_view argument,
                                                               std::string_view text);

/// Returns the problem with other types. A convolution has one type for both operands, an attention
/// one in total.
[[nodiscard]] Problem retyped(Problem problem, const MatmulTypes& types);

/// Lists of parameters whose cross product is profiled. Sizes default to 256, as in IREE's dispatch
/// profiler.
struct Sweep {
  std::vector<MatmulTypes> types = {MatmulTypes{}};
  std::vector<std::int64_t> batch = {0};  ///< 0: no batch dimension
  std::vector<std::int64_t> m = {256};
  std::vector<std::int64_t> n = {256};
  std::vector<std::int64_t> k = {256};
  std::vector<char> transposeLhs = {0};  ///< 1: column-major; char because vector<bool> is special
  std::vector<char> transposeRhs = {0};
  std::vector<Epilogue> epilogues = {Epilogue{}};
};

/// Returns every combination, checked. Types vary slowest, then batch, m, n, k, the layouts and the
/// epilogue.
[[nodiscard]] Result<std::vector<Problem>> expandMatmuls(const Sweep& sweep);

}  // namespace hone::model
