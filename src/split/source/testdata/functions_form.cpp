// A replica of SetSplitReductionSizes.cpp in its newer form, where functions return the limit;
// see chain_form.cpp.
#include "operation.h"

namespace {

const char *const decoy = R"(
static std::optional<int64_t> getMatmulLimitParallelLoops(int64_t outputSize) { return 1; }
)";

static std::optional<int64_t>
getConvolutionLimitParallelLoops(int64_t outputSize, int64_t reductionSize,
                                 int64_t startTileSize, bool lowParallelism) {
  if (outputSize < 32 * 32) {
    return 2048;
  }
  if (outputSize < 256 * 256) {
    return lowParallelism || reductionSize < 50000 ? 8 : 16;
  }
  return std::min<int64_t>(8, startTileSize);
}

static std::optional<SmallVector<int64_t>>
getConvolutionReductionSizes(const Operation &op, int64_t target,
                             bool lowParallelism) {
  if (op.sums.empty() || target < 0) {
    return std::nullopt;
  }
  std::optional<SmallVector<int64_t>> maybeSizes = getReductionDimSizes(op);
  if (!maybeSizes) {
    return std::nullopt;
  }
  int64_t outputChannelSize = op.channels;
  int64_t batchSize = op.batch;
  int64_t imageSize = op.image;
  int64_t depthSize = op.depth;

  const int64_t largeParallelSize = 640000;
  const int64_t smallReductionSize = 8192;
  const int64_t ratioThreshold = 64;

  bool isBatchFirstLayout = op.batchFirst;
  int64_t mainSize = isBatchFirstLayout ? imageSize : batchSize;
  int64_t parallelSize = outputChannelSize * mainSize;
  if (parallelSize >= largeParallelSize) {
    return std::nullopt;
  }
  SmallVector<int64_t> tileSizes = std::move(*maybeSizes);
  int64_t reductionSize = llvm::product_of(tileSizes);
  int64_t ratio = reductionSize / std::sqrt(parallelSize);
  if (ratio <= ratioThreshold && reductionSize < smallReductionSize) {
    return std::nullopt;
  }
  int64_t outputSize = outputChannelSize * batchSize * imageSize * depthSize;
  if (outputSize >= 2 * 1024 * 1024 && reductionSize < 50000) {
    return std::nullopt;
  }

  int64_t startTileSize =
      isBatchFirstLayout ? tileSizes.back() : tileSizes.front();
  std::optional<int64_t> maybeLimit = getConvolutionLimitParallelLoops(
      outputSize, reductionSize, startTileSize, lowParallelism);
  if (!maybeLimit) {
    return std::nullopt;
  }
  int64_t limitParallelLoops = maybeLimit.value();
  tileSizes[0] = limitParallelLoops;
  return tileSizes;
}

static std::optional<int64_t> getMatmulLimitParallelLoops(int64_t outputSize,
                                                          int64_t reductionSize,
                                                          int64_t startTileSize,
                                                          bool lowParallelism) {
  // Small outputs, or long sums: }
  if (outputSize <= 16 * 16 || reductionSize > 1e7) {
    return 2048;
  }
  if (lowParallelism) {
    return 4;
  }
  return std::min<int64_t>(8, startTileSize); // the last } of it
}

static std::optional<SmallVector<int64_t>>
getMatmulLikeReductionSizes(const Operation &op, int64_t target,
                            bool lowParallelism) {
  if (op.sums.empty() || target < 0) {
    return std::nullopt;
  }
  int64_t batchSize = op.batch;
  int64_t mSize = op.rows;
  int64_t nSize = op.columns;
  int64_t kSize = llvm::product_of(op.sums);
  int64_t outputSize = mSize * nSize * batchSize;
  int64_t ratio = kSize / std::sqrt(mSize * nSize) / batchSize;

  const int64_t largeOutputSize = 2048 * 4096;
  const int64_t smallKSize = 18000;
  const int64_t ratioThreshold = 48;

  if (outputSize > largeOutputSize) {
    return std::nullopt;
  }
  if (kSize < smallKSize && ratio < ratioThreshold) {
    return std::nullopt;
  }
  if (outputSize >= 1024 * 1024 && outputSize < 1500 * 1024 && kSize < 200000) {
    return std::nullopt;
  }

  SmallVector<int64_t> tileSizes = op.sums;
  std::optional<int64_t> maybeLimit = getMatmulLimitParallelLoops(
      outputSize, kSize, tileSizes[0], lowParallelism);
  if (!maybeLimit) {
    return std::nullopt;
  }
  int64_t limitParallelLoops = maybeLimit.value();
  tileSizes[0] = limitParallelLoops;
  return tileSizes;
}

} // namespace

int main() {
  return runOperations(
      [](const Operation &op) {
        return getConvolutionReductionSizes(op, decoy == nullptr ? -1 : 0, op.lowParallelism);
      },
      [](const Operation &op) {
        return getMatmulLikeReductionSizes(op, 0, op.lowParallelism);
      });
}
