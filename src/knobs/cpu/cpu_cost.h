#pragma once

#include "knobs/cpu/cpu_config.h"
#include "knobs/cpu/cpu_limits.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Estimates the cycles of a product of two tensors: arithmetic of the innermost tile, cache
/// traffic, and waste at the edges. Use it only to rank configurations of one operation.
class ProductCost {
 public:
  ProductCost(const model::RootOperation& root, const CpuLimits& limits);
  [[nodiscard]] double operator()(const CpuConfig& config) const;

 private:
  struct Tiles;
  [[nodiscard]] double arithmetic(const Tiles& tiles) const;
  [[nodiscard]] double traffic(const Tiles& tiles) const;
  [[nodiscard]] double bytesPerCycle(double footprint) const;

  std::vector<model::Loop> loops_;
  std::vector<model::RootOperand> operands_;  ///< the two inputs, then the result
  CpuLimits limits_;
  std::size_t along_ = 0;  ///< the loop that is contiguous in the result
  std::int64_t lanes_ = 1;
  bool windowed_ = false;  ///< a convolution
};

}  // namespace hone::knobs
