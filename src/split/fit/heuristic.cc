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

/// Returns true for output sizes for which the current form has a condition on the reduction size.
bool isHuge(SourceForm form, const Reduction& reduction) {
  const std::int64_t output = reduction.outputSize();
  if (form == SourceForm::chain) {
    return false;
  }
  return reduction.kind == ReductionKind::convolution
             ? output >= 2L * 1024 * 1024
             : output >= 1024L * 1024 && output < 1500L * 1024;
}

EarlyReturns convolutionMeasures(SourceForm form, const Reduction& reduction) {
  const std::int64_t summed = reduction.reductionSize();
  const std::int64_t channels = reduction.outputChannelSize;
  if (form == SourceForm::chain) {
    // Both must reach the constant, so the smaller one decides.
    return {std::min(channels, reduction.batchSize), summed,
            computeRatio(summed, channels * reduction.batchSize), 0};
  }
  const std::int64_t parallel =
      channels * (reduction.batchFirst ? reduction.imageSize : reduction.batchSize);
  return {parallel, summed, computeRatio(summed, parallel), isHuge(form, reduction) ? summed : 0};
}

EarlyReturns matmulMeasures(SourceForm form, const Reduction& reduction) {
  const std::int64_t summed = reduction.reductionSize();
  return {form == SourceForm::chain ? std::max(reduction.mSize, reduction.nSize)
                                    : reduction.outputSize(),
          summed, computeRatio(summed, reduction.mSize * reduction.nSize, reduction.batchSize),
          isHuge(form, reduction) ? summed : 0};
}

bool convolutionSkips(SourceForm form, const EarlyReturns& returns, const Reduction& reduction) {
  const EarlyReturns measures = convolutionMeasures(form, reduction);
  return measures.largeParallel >= returns.largeParallel ||
         (measures.ratio <= returns.ratio && measures.smallReduction < returns.smallReduction) ||
         (isHuge(form, reduction) && measures.modestReduction < returns.modestReduction);
}

bool matmulSkips(SourceForm form, const EarlyReturns& returns, const Reduction& reduction) {
  const EarlyReturns measures = matmulMeasures(form, reduction);
  const bool small = measures.smallReduction < returns.smallReduction;
  if (form == SourceForm::chain) {
    return measures.largeParallel > returns.largeParallel ||
           (measures.ratio <= returns.ratio && small);
  }
  return measures.largeParallel > returns.largeParallel ||
         (measures.ratio < returns.ratio && small) ||
         (isHuge(form, reduction) && measures.modestReduction < returns.modestReduction);
}

}  // namespace

EarlyReturns compilersReturns(SourceForm form, ReductionKind kind) {
  const bool chain = form == SourceForm::chain;
  if (kind == ReductionKind::convolution) {
    return chain ? EarlyReturns{512, 8192, 64, 0} : EarlyReturns{640000, 8192, 64, 50000};
  }
  return chain ? EarlyReturns{1024, 24576, 384, 0} : EarlyReturns{2048L * 4096, 18000, 48, 200000};
}

EarlyReturns computeMeasures(SourceForm form, const Reduction& reduction) {
  return reduction.kind == ReductionKind::convolution ? convolutionMeasures(form, reduction)
                                                      : matmulMeasures(form, reduction);
}

bool skips(SourceForm form, const EarlyReturns& returns, const Reduction& reduction) {
  return reduction.kind == ReductionKind::convolution ? convolutionSkips(form, returns, reduction)
                                                      : matmulSkips(form, returns, reduction);
}

std::optional<std::int64_t> chooseLimit(const Ladder& ladder, const Reduction& reduction) {
  const auto decided = [](std::int64_t limit) {
    return limit == kNoSplit ? std::nullopt : std::optional(limit);
  };
  for (const Band& band : ladder.bands) {
    if (reduction.outputSize() >= band.outputBelow) {
      continue;
    }
    for (const Step& step : band.steps) {
      if (reduction.reductionSize() < step.reductionBelow) {
        return decided(step.limit);
      }
    }
    return decided(band.limit);
  }
  return ladder.cap == kNoSplit ? std::nullopt
                                : std::optional(std::min(ladder.cap, reduction.startSize()));
}

std::optional<std::int64_t> chooseLimit(const Heuristic& heuristic, const Reduction& reduction) {
  if (skips(heuristic.form, heuristic.returns, reduction)) {
    return std::nullopt;
  }
  return chooseLimit(heuristic.ladder, reduction);
}

}  // namespace hone::split
