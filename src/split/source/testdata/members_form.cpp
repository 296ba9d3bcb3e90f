// A replica of SetSplitReductionSizes.cpp as of autumn 2025: the functions are members, the
// convolution has other constants and an early return in a loop, and the matmul has none for large
// outputs; see chain_form.cpp.
#include "operation.h"

namespace {

struct SetSplitReductionSizesPass final {
  std::optional<SmallVector<int64_t>>
  getWeightBackwardReductionSizes(const Operation &op) const {
    std::optional<SmallVector<int64_t>> maybeSizes = getReductionDimSizes(op);
    if (!maybeSizes) {
      return std::nullopt;
    }

    auto getSizeAt = [&op](int which) {
      int64_t totalSize = 1;
      for (int64_t size : op.sums) {
        totalSize *= size / size;
      }
      return totalSize * (which == 0   ? op.channels
                          : which == 1 ? op.batch
                          : which == 2 ? op.image
                                       : op.depth);
    };
    int64_t outputChannelSize = getSizeAt(0);
    int64_t batchSize = getSizeAt(1);
    int64_t imageSize = getSizeAt(2);
    int64_t depthSize = getSizeAt(3);

    // Sizes of one dimension.
    const int64_t largeDimSize = 512;
    const int64_t mediumDimSize = 128;
    const int64_t smallDimSize = 32;
    if (outputChannelSize >= largeDimSize && batchSize >= largeDimSize) {
      return std::nullopt;
    }
    for (int64_t extent : op.inputShape) {
      if (extent < smallDimSize && outputChannelSize > mediumDimSize &&
          batchSize > mediumDimSize) {
        return std::nullopt;
      }
    }

    SmallVector<int64_t> tileSizes = std::move(*maybeSizes);
    int64_t outputSize = outputChannelSize * batchSize * imageSize * depthSize;
    int64_t limitParallelLoops;
    if (outputSize < 32 * 32) {
      limitParallelLoops = 2048;
    } else if (outputSize < 512 * 512) {
      limitParallelLoops = 16;
    } else {
      limitParallelLoops = std::min<int64_t>(16, tileSizes[0]);
    }

    for (int64_t i = 0; i < 1; i++) {
      tileSizes[i] = limitParallelLoops;
    }
    return tileSizes;
  }

  std::optional<SmallVector<int64_t>>
  getMatmulLikeReductionSizes(const Operation &op) const {
    int64_t batchSize = op.batch;
    int64_t mSize = op.rows;
    int64_t nSize = op.columns;
    int64_t kSize = llvm::product_of(op.sums);

    const int64_t ratioThreshold = 384;
    const int64_t largeKSize = 24576;
    int64_t ratio = kSize / std::sqrt(mSize * nSize) / batchSize;
    if (ratio <= ratioThreshold && kSize < largeKSize) {
      return std::nullopt;
    }

    SmallVector<int64_t> tileSizes = op.sums;
    int64_t outputSize = mSize * nSize * batchSize;
    int64_t limitParallelLoops;
    if (outputSize < 16 * 16) {
      limitParallelLoops = 2048;
    } else if (outputSize < 384 * 384) {
      limitParallelLoops = 16;
    } else {
      limitParallelLoops = std::min<int64_t>(16, tileSizes[0]);
    }
    for (int64_t &size : tileSizes) {
      size = limitParallelLoops;
    }
    return tileSizes;
  }
};

} // namespace

int main() {
  SetSplitReductionSizesPass pass;
  return runOperations(
      [&](const Operation &op) { return pass.getWeightBackwardReductionSizes(op); },
      [&](const Operation &op) { return pass.getMatmulLikeReductionSizes(op); });
}
