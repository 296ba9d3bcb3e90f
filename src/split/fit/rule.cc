#include "split/fit/rule.h"

#include <algorithm>

#include "split/fit/heuristic.h"

namespace hone::split {
namespace {

using model::Reduction;
using model::ReductionKind;

/// Largest factor that the compiler tries.
constexpr std::int64_t kMaxFactor = 1 << 15;

std::optional<std::int64_t> smallestFactorFrom(std::int64_t lowest, std::int64_t size) {
  for (std::int64_t factor = lowest; factor <= std::min(size, kMaxFactor); ++factor) {
    if (size % factor == 0) {
      return factor;
    }
  }
  return std::nullopt;
}

constexpr std::int64_t square(std::int64_t side) { return side * side; }

std::int64_t convolutionLimit(const Reduction& reduction) {
  const std::int64_t output = reduction.outputSize();
  const std::int64_t summed = reduction.reductionSize();
  if (output < square(32)) {
    return 2048;
  }
  if (output < square(128)) {
    return 128;
  }
  if (output < square(256)) {
    return summed < 50000 ? 16 : summed < 200000 ? 32 : 64;
  }
  if (output < square(512)) {
    return summed < 800000 ? 16 : 64;
  }
  return output >= square(1024) && summed >= 200000
             ? 16
             : std::min<std::int64_t>(8, reduction.startSize());
}

std::int64_t matmulLimit(const Reduction& reduction) {
  const std::int64_t output = reduction.outputSize();
  const std::int64_t summed = reduction.reductionSize();
  if (output <= square(16) || summed > 10'000'000) {
    return 2048;
  }
  if (output <= square(64) || summed > 1'000'000) {
    return 128;
  }
  if (output <= square(128)) {
    return 64;
  }
  if (output <= square(256)) {
    return 32;
  }
  if (output <= square(512) || (output <= square(900) && summed >= 100000)) {
    return 16;
  }
  return std::min<std::int64_t>(8, reduction.startSize());
}

}  // namespace

std::optional<std::vector<std::int64_t>> sizesFor(const Reduction& reduction, std::int64_t limit) {
  std::vector<std::int64_t> sizes = reduction.sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::int64_t& size = sizes[reduction.batchFirst ? sizes.size() - 1 - i : i];
    const auto tile = smallestFactorFrom((size + limit - 1) / limit, size);
    if (!tile) {
      return std::nullopt;
    }
    limit /= size / *tile;
    size = *tile;
    if (size > 1) {
      break;  // the remaining loops are not contiguous
    }
  }
  return sizes;
}

std::optional<std::int64_t> compilersLimit(const Reduction& reduction) {
  constexpr SourceForm kForm = SourceForm::functions;
  if (skips(kForm, compilersReturns(kForm, reduction.kind), reduction)) {
    return std::nullopt;
  }
  return reduction.kind == ReductionKind::convolution ? convolutionLimit(reduction)
                                                      : matmulLimit(reduction);
}

std::vector<std::int64_t> sizesUnder(const Reduction& reduction,
                                     std::optional<std::int64_t> limit) {
  return limit ? sizesFor(reduction, *limit).value_or(std::vector<std::int64_t>{})
               : std::vector<std::int64_t>{};
}

std::vector<std::int64_t> sizesUnder(const Reduction& reduction, const LimitChooser& limitFor) {
  const auto chooseSplitSizes =
      [&](const Reduction& one) -> std::optional<std::vector<std::int64_t>> {
    const auto limit = limitFor(one);
    return limit ? sizesFor(one, *limit) : std::nullopt;
  };
  auto sizes = chooseSplitSizes(reduction);
  if (!sizes && reduction.kind == ReductionKind::convolution) {
    if (const auto matmul = asMatmul(reduction)) {
      sizes = chooseSplitSizes(*matmul);
    }
  }
  return sizes.value_or(std::vector<std::int64_t>{});
}

}  // namespace hone::split
