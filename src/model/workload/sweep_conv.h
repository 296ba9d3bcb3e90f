#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/problem.h"
#include "model/workload/sweep.h"

namespace hone::model {

/// One number per spatial dimension.
using Extents = std::vector<std::int64_t>;

/// Parses "3", "3x5", "28:56:28" and lists of them. A single number, or each number of a range,
/// applies to all `spatial` dimensions. `smallest` is 1, or 0 for paddings. `argument` is the
/// option's name, for errors.
[[nodiscard]] Result<std::vector<Extents>> extentsFrom(std::string_view argument,
                                                       std::string_view text, std::int64_t spatial,
                                                       std::int64_t smallest = 1);

/// Lists of parameters whose cross product is profiled.
struct ConvSweep {
  std::int64_t spatial = 2;
  std::vector<MatmulTypes> types = {MatmulTypes{}};
  std::vector<ConvDirection> directions = {ConvDirection::forward};
  std::vector<ConvLayout> layouts = {ConvLayout::nhwc};
  std::vector<std::int64_t> batch = {1};
  std::vector<std::int64_t> channels = {64};
  std::vector<std::int64_t> filters = {64};
  std::vector<std::int64_t> groups = {1};
  std::vector<Extents> image, filter, stride, pad, dilation;
  std::vector<Epilogue> epilogues = {Epilogue{}};
};

/// Returns every combination, checked. Operands of different types are a user error.
[[nodiscard]] Result<std::vector<Problem>> expandConvs(const ConvSweep& sweep);

struct AttentionSweep {
  std::vector<ElementType> types = {ElementType::f32};
  std::vector<std::int64_t> batch = {1};
  std::vector<std::int64_t> queries = {256};
  std::vector<std::int64_t> keys = {256};
  std::vector<std::int64_t> depth = {64};
};

[[nodiscard]] Result<std::vector<Problem>> expandAttentions(const AttentionSweep& sweep);

}  // namespace hone::model
