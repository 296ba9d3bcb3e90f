#include "split/fit/heuristic.h"

#include <algorithm>
#include <cmath>

namespace hone::split {
namespace {

using model::Reduction;
using model::ReductionKind;

/// Computes the ratio like the compiler: in doubles, then truncated.
std::int64_t computeRatio(std::int64_t summed, std::int64_t parallel, std::int64_t batch = 1) {
  return static_cast<std::int64_t>(static_cast<double>(summed) /
                                   std::sqrt(static_cast<double>(parallel)) /
                                   static_cast<double>(batch));
}

EarlyReturns convolutionMeasures(SourceForm form, const Reduction& reduction) {
  const std::int64_t summed = reduction.reductionSize();
  const std::int64_t channels = reduction.outputChannelSize;
  if (form == SourceForm::chain) {
    // Both must reach the constant, so the smaller one decides.
    return {std::min(channels, reduction.batchSize), summed,
            computeRatio(summed, channels * reduction.batchSize)};
  }
  const std::int64_t parallel =
      channels * (reduction.batchFirst ? reduction.imageSize : reduction.batchSize);
  return {parallel, summed, computeRatio(summed, parallel)};
}

EarlyReturns matmulMeasures(SourceForm form, const Reduction& reduction) {
  const std::int64_t summed = reduction.reductionSize();
  return {form == SourceForm::chain ? std::max(reduction.mSize, reduction.nSize)
                                    : reduction.outputSize(),
          summed, computeRatio(summed, reduction.mSize * reduction.nSize, reduction.batchSize)};
}

bool convolutionSkips(SourceForm form, const EarlyReturns& returns, const Reduction& reduction) {
  const EarlyReturns measures = convolutionMeasures(form, reduction);
  return measures.largeParallel >= returns.largeParallel ||
         (measures.ratio <= returns.ratio && measures.smallReduction < returns.smallReduction) ||
         (form == SourceForm::functions && reduction.outputSize() >= 2L * 1024 * 1024 &&
          measures.smallReduction < 50000);
}

bool matmulSkips(SourceForm form, const EarlyReturns& returns, const Reduction& reduction) {
  const EarlyReturns measures = matmulMeasures(form, reduction);
  const bool small = measures.smallReduction < returns.smallReduction;
  if (form == SourceForm::chain) {
    return measures.largeParallel > returns.largeParallel ||
           (measures.ratio <= returns.ratio && small);
  }
  const std::int64_t output = reduction.outputSize();
  return measures.largeParallel > returns.largeParallel ||
         (measures.ratio < returns.ratio && small) ||
         (output >= 1024L * 1024 && output < 1500L * 1024 && measures.smallReduction < 200000);
}

}  // namespace

EarlyReturns compilersReturns(SourceForm form, ReductionKind kind) {
  const bool chain = form == SourceForm::chain;
  if (kind == ReductionKind::convolution) {
    return chain ? EarlyReturns{512, 8192, 64} : EarlyReturns{640000, 8192, 64};
  }
  return chain ? EarlyReturns{1024, 24576, 384} : EarlyReturns{2048L * 4096, 18000, 48};
}

EarlyReturns computeMeasures(SourceForm form, const Reduction& reduction) {
  return reduction.kind == ReductionKind::convolution ? convolutionMeasures(form, reduction)
                                                      : matmulMeasures(form, reduction);
}

bool skips(SourceForm form, const EarlyReturns& returns, const Reduction& reduction) {
  return reduction.kind == ReductionKind::convolution ? convolutionSkips(form, returns, reduction)
                                                      : matmulSkips(form, returns, reduction);
}

std::int64_t chooseLimit(const Ladder& ladder, const Reduction& reduction) {
  for (const Band& band : ladder.bands) {
    if (reduction.outputSize() >= band.outputBelow) {
      continue;
    }
    for (const Step& step : band.steps) {
      if (reduction.reductionSize() < step.reductionBelow) {
        return step.limit;
      }
    }
    return band.limit;
  }
  return std::min(ladder.cap, reduction.startSize());
}

std::optional<std::int64_t> chooseLimit(const Heuristic& heuristic, const Reduction& reduction) {
  if (skips(heuristic.form, heuristic.returns, reduction)) {
    return std::nullopt;
  }
  return chooseLimit(heuristic.ladder, reduction);
}

}  // namespace hone::split
