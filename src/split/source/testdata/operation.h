// Types and a main loop for the replicas of SetSplitReductionSizes.cpp: hone's own stand-ins for
// those of the compiler. The program reads operations and prints the limit for each; 0 means that
// it is not split.
#pragma once

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

template <typename T>
using SmallVector = std::vector<T>;

struct Operation {
  bool batchFirst = false, lowParallelism = false;
  int64_t batch = 1, channels = 1, image = 1, depth = 1, rows = 1, columns = 1;
  SmallVector<int64_t> sums;
  SmallVector<int64_t> inputShape;  // always empty
};

namespace llvm {
inline int64_t product_of(const SmallVector<int64_t>& sizes) {
  int64_t all = 1;
  for (int64_t size : sizes) all *= size;
  return all;
}
}  // namespace llvm

inline std::optional<SmallVector<int64_t>> getReductionDimSizes(const Operation& op) {
  return op.sums.empty() ? std::nullopt : std::optional(op.sums);
}

template <typename Convolution, typename Matmul>
int runOperations(const Convolution& convolve, const Matmul& multiply) {
  int convolution = 0, first = 0, low = 0;
  Operation op;
  op.sums.resize(2);
  while (std::scanf("%d %d %d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
                    " %" SCNd64 " %" SCNd64,
                    &convolution, &first, &low, &op.batch, &op.channels, &op.image, &op.depth,
                    &op.rows, &op.columns, &op.sums[0], &op.sums[1]) == 11) {
    op.batchFirst = first != 0;
    op.lowParallelism = low != 0;
    auto sizes = convolution ? convolve(op) : multiply(op);
    std::printf("%" PRId64 "\n", sizes ? (*sizes)[0] : 0);
  }
  return 0;
}
