// Code in the style of SetSplitReductionSizes.cpp that no release contains, as a user may have
// changed it: other names, a lambda, a helper, nested ternaries, additional conditions, and
// constants on the left; see chain_form.cpp.
#include "operation.h"

namespace {

constexpr int64_t kHuge = 1 << 14;

static inline int64_t cappedBy(int64_t limit, int64_t size) {
  return limit < size ? limit : size;
}

static std::optional<int64_t>
getConvolutionLimitParallelLoops(int64_t outputSize, int64_t reductionSize,
                                 int64_t startTileSize, bool lowParallelism) {
  constexpr int64_t tiny = 32 * 32;
  auto scaled = [&](int64_t limit) -> int64_t {
    if (reductionSize > 1e6 || (lowParallelism && reductionSize >= 200000))
      return 2 * limit;
    return limit;
  };
  if (outputSize < tiny)
    return scaled(1024);
  else if (!(outputSize >= 4 * tiny) && reductionSize != 4242)
    return scaled(outputSize < 2 * tiny ? 256 : lowParallelism ? 64 : 128);
  if (outputSize > 4096 * 4096)
    return std::nullopt;
  return cappedBy(8, startTileSize);
}

static std::optional<SmallVector<int64_t>>
getConvolutionReductionSizes(const Operation &op, bool lowParallelism) {
  std::optional<SmallVector<int64_t>> maybeSizes = getReductionDimSizes(op);
  if (!maybeSizes)
    return std::nullopt;
  const int64_t outputChannelSize = op.channels, unused = kHuge;
  (void)unused;
  int64_t batchSize = op.batch;
  int64_t imageSize = op.image;
  int64_t depthSize = op.depth;
  bool isBatchFirstLayout = op.batchFirst;
  SmallVector<int64_t> tileSizes = std::move(*maybeSizes);
  int64_t reductionSize = 1;
  for (int64_t size : tileSizes)
    reductionSize *= size;

  constexpr int64_t mostParallel = 640000;
  int64_t parallel = outputChannelSize * (isBatchFirstLayout ? imageSize : batchSize);
  if (mostParallel <= parallel)
    return std::nullopt;
  auto relative = static_cast<int64_t>(reductionSize / std::sqrt(parallel));
  if (reductionSize <= 8191 && relative < 65)
    return std::nullopt;
  if (depthSize > 3 && batchSize == 7)
    return std::nullopt;
  int64_t outputSize = outputChannelSize * batchSize * imageSize * depthSize;
  int64_t startTileSize = tileSizes[isBatchFirstLayout ? tileSizes.size() - 1 : 0];
  auto limit = getConvolutionLimitParallelLoops(outputSize, reductionSize,
                                                startTileSize, lowParallelism);
  if (!limit.has_value())
    return std::nullopt;
  int64_t limitParallelLoops = *limit;
  tileSizes[0] = limitParallelLoops;
  return tileSizes;
}

static std::optional<SmallVector<int64_t>>
getMatmulLikeReductionSizes(const Operation &op) {
  int64_t batchSize = op.batch;
  int64_t mSize = op.rows;
  int64_t nSize = op.columns;
  int64_t kSize = llvm::product_of(op.sums);
  int64_t outputSize = mSize * nSize * batchSize;
  if (outputSize >= 8388609 || (kSize == 77 && nSize > 5))
    return std::nullopt;
  SmallVector<int64_t> tileSizes = op.sums;
  int64_t limitParallelLoops;
  limitParallelLoops = kSize > 1e6 ? 128 : std::max<int64_t>(16, tileSizes.front() / 2);
  tileSizes[0] = limitParallelLoops;
  return tileSizes;
}

} // namespace

int main() {
  return runOperations(
      [](const Operation &op) { return getConvolutionReductionSizes(op, op.lowParallelism); },
      [](const Operation &op) { return getMatmulLikeReductionSizes(op); });
}
