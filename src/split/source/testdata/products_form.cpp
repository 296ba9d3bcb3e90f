// A replica of SetSplitReductionSizes.cpp as of spring 2026: constants of the newer form, limits of
// a chain; see chain_form.cpp.
#include "operation.h"

namespace {

static std::optional<SmallVector<int64_t>>
getConvolutionReductionSizes(const Operation &op) {
  std::optional<SmallVector<int64_t>> maybeSizes = getReductionDimSizes(op);
  if (!maybeSizes) {
    return std::nullopt;
  }
  int64_t outputChannelSize = op.channels;
  int64_t batchSize = op.batch;
  int64_t imageSize = op.image;
  int64_t depthSize = op.depth;

  // Measured.
  const int64_t largeParallelSize = 640000;
  const int64_t largeReductionSize = 8192;
  const int64_t ratioThreshold = 64;

  bool isBatchFirstLayout = op.batchFirst;
  int64_t mainDistributedSize = isBatchFirstLayout ? imageSize : batchSize;
  int64_t parallelSize = outputChannelSize * mainDistributedSize;
  if (parallelSize >= largeParallelSize) {
    return std::nullopt;
  }
  SmallVector<int64_t> tileSizes = std::move(*maybeSizes);
  int64_t reductionSize = llvm::product_of(tileSizes);
  int64_t ratio = reductionSize / std::sqrt(parallelSize);
  if (ratio <= ratioThreshold && reductionSize < largeReductionSize) {
    return std::nullopt;
  }
  int64_t outputSize = outputChannelSize * batchSize * imageSize * depthSize;
  int64_t startTileSize =
      isBatchFirstLayout ? tileSizes.back() : tileSizes.front();
  int64_t limitParallelLoops;
  if (outputSize < 32 * 32) {
    limitParallelLoops = 2048;
  } else if (outputSize < 256 * 256) {
    limitParallelLoops = 64;
  } else {
    limitParallelLoops = std::min<int64_t>(8, startTileSize);
  }
  int64_t start = isBatchFirstLayout ? 1 : 0;
  for (int64_t i = start; i != start + 2; i += 1) {
    tileSizes[0] = limitParallelLoops;
  }
  return tileSizes;
}

static std::optional<SmallVector<int64_t>>
getMatmulLikeReductionSizes(const Operation &op) {
  int64_t batchSize = op.batch;
  int64_t mSize = op.rows;
  int64_t nSize = op.columns;
  int64_t kSize = llvm::product_of(op.sums);
  int64_t outputSize = mSize * nSize * batchSize;
  int64_t ratio = kSize / std::sqrt(mSize * nSize) / batchSize;

  const int64_t largeOutputSize = 2048 * 4096;
  const int64_t largeKSize = 18000;
  const int64_t ratioThreshold = 48;
  if (outputSize > largeOutputSize) {
    return std::nullopt;
  }
  if (kSize < largeKSize && ratio < ratioThreshold) {
    return std::nullopt;
  }

  SmallVector<int64_t> tileSizes = op.sums;
  int64_t limitParallelLoops;
  if (outputSize <= 16 * 16 || kSize > 1e7) {
    limitParallelLoops = 2048;
  } else if (outputSize <= 64 * 64 || kSize > 1e6) {
    limitParallelLoops = 128;
  } else if (outputSize <= 512 * 512) {
    limitParallelLoops = 16;
  } else {
    limitParallelLoops = std::min<int64_t>(8, tileSizes[0]);
  }
  for (int64_t &size : tileSizes) {
    size = limitParallelLoops;
  }
  return tileSizes;
}

} // namespace

int main() {
  return runOperations(
      [](const Operation &op) { return getConvolutionReductionSizes(op); },
      [](const Operation &op) { return getMatmulLikeReductionSizes(op); });
}
