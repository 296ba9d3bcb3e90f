#pragma once

#include "knobs/cpu/cpu_config.h"
#include "knobs/cpu/cpu_limits.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// About how many cycles a product of two tensors takes with a configuration: the arithmetic of its
/// innermost tile, what goes through the caches, and what is wasted at the edges. Good for an order
/// of configurations of one operation, nothing else.
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
  std::size_t along_ = 0;  ///< the loop along neighbours of the result
  std::int64_t lanes_ = 1;
  bool windowed_ = false;  ///< a convolution
};

}  // namespace hone::knobs
