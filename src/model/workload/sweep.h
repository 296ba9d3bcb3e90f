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

/// The sizes of "128", "128,256", "64:1024:128" (start:end:step, the step 1 where not given) and
/// mixes of them, each once, in the order given. A range has its end where a step meets it:
/// 128:1280:128 is ten sizes. (The generator of IREE's dispatch profiler left the end out, though
/// its text says "from 64 to 1024".) `argument` is the option's name, for errors.
[[nodiscard]] Result<std::vector<std::int64_t>> sizesFrom(std::string_view argument,
                                                          std::string_view text);

/// The types of "f32", "i8" (summed in i32), "f16_f16_f32" (lhs, rhs, result) and comma lists of
/// them. One name is all three types, as in a problem's name; only i8 has no sum of its own.
[[nodiscard]] Result<std::vector<MatmulTypes>> matmulTypesFrom(std::string_view argument,
                                                               std::string_view text);

/// The problem with other types; a convolution has one for both operands, an attention one only.
[[nodiscard]] Problem retyped(Problem problem, const MatmulTypes& types);

/// Lists whose cross product is profiled. A size that the user does not give is 256, as in IREE's
/// dispatch profiler.
struct Sweep {
  std::vector<MatmulTypes> types = {MatmulTypes{}};
  std::vector<std::int64_t> batch = {0};  ///< 0: no batch dimension
  std::vector<std::int64_t> m = {256};
  std::vector<std::int64_t> n = {256};
  std::vector<std::int64_t> k = {256};
  std::vector<char> transposeLhs = {0};  ///< 1: column-major; not bool, whose vector is none
  std::vector<char> transposeRhs = {0};
  std::vector<Epilogue> epilogues = {Epilogue{}};
};

/// Every combination, checked; the types change slowest, then batch, m, n, k, the layouts, and what
/// is fused quickest.
[[nodiscard]] Result<std::vector<Problem>> matmulsOf(const Sweep& sweep);

}  // namespace hone::model
