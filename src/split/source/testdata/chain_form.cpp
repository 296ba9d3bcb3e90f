// A replica of SetSplitReductionSizes.cpp in its older form: hone's own code around the names and
// numbers that hone edits. Tests compile and run it after an edit. The strings and comments below
// are traps for a parser that does not know C++: int64_t limitParallelLoops; { ( [ " '
#include "operation.h"

#define OPENS_NOTHING(x) { x \
  const int64_t ratioThreshold = 1;

namespace {

const char *const decoys[] = {
    "getMatmulLikeReductionSizes() { const int64_t ratioThreshold = 2; }",
    R"cpp(getMatmulLikeReductionSizes() { " ' })cpp", "\"}", u8"{"};
const char brace = '{', quote = '\'', large = static_cast<char>(0x7'0);

#if 0
int64_t getMatmulLikeReductionSizes() { return 1; }
#endif

static std::optional<SmallVector<int64_t>>
getWeightBackwardReductionSizes(const Operation &op, int64_t target);

static std::optional<SmallVector<int64_t>>
getWeightBackwardReductionSizes(const Operation &op, int64_t target) {
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

  const int64_t largeParallelSize = 512; // not const int64_t largeParallelSize = 7;
  const int64_t largeReductionSize = 8192;
  const int64_t ratioThreshold = 64;

  if (outputChannelSize >= largeParallelSize &&
      batchSize >= largeParallelSize /* ) { */) {
    return std::nullopt;
  }

  SmallVector<int64_t> tileSizes = std::move(*maybeSizes);
  int64_t reductionSize = llvm::product_of(tileSizes);
  int64_t ratio = reductionSize / std::sqrt(outputChannelSize * batchSize);
  if (ratio <= ratioThreshold && reductionSize < largeReductionSize) {
    std::fprintf(stderr, "small: }\n");
    return std::nullopt;
  }

  // The chain, and a comment that isn't closed by a quote.
  int64_t outputSize = outputChannelSize * batchSize * imageSize * depthSize;
  int64_t limitParallelLoops; // which } of these
  if (outputSize < 32 * 32) {
    limitParallelLoops = 2048;
  } else if (outputSize < 256 * 256) {
    limitParallelLoops = 64;
  } else {
    limitParallelLoops = std::min<int64_t>(16, tileSizes[0]);
  } // behind the chain

  tileSizes[0] = limitParallelLoops;
  return tileSizes;
}

static std::optional<SmallVector<int64_t>>
getMatmulLikeReductionSizes(const Operation &op, int64_t target) {
  if (op.sums.empty() || target < 0) {
    return std::nullopt;
  }
  int64_t batchSize = op.batch;
  int64_t mSize = op.rows;
  int64_t nSize = op.columns;
  int64_t kSize = llvm::product_of(op.sums);

  const int64_t ratioThreshold = 384;
  const int64_t largeKSize = 24576;
  const int64_t largeMNSize = 1024;

  if (mSize > largeMNSize || nSize > largeMNSize) {
    return std::nullopt;
  }
  int64_t ratio = kSize / std::sqrt(mSize * nSize) / batchSize;
  if (ratio <= ratioThreshold && kSize < largeKSize) {
    return std::nullopt;
  }

  SmallVector<int64_t> tileSizes = op.sums;
  int64_t outputSize = mSize * nSize * batchSize;
  int64_t limitParallelLoops;
  if (outputSize < 16 * 16 || kSize > 1e7) {
    limitParallelLoops = 2048;
  } else if (outputSize < 128 * 128) {
    limitParallelLoops = 64;
  } else {
    limitParallelLoops = std::min<int64_t>(16, tileSizes[0]);
  }

  tileSizes[0] = limitParallelLoops;
  limitParallelLoops /= 2;
  return tileSizes;
}

} // namespace

int main() {
  return runOperations(
      [](const Operation &op) { return getWeightBackwardReductionSizes(op, brace); },
      [](const Operation &op) {
        return getMatmulLikeReductionSizes(op, quote + large + (decoys[0] == nullptr ? 1 : 0));
      });
}
