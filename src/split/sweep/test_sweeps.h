#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/random.h"
#include "model/workload/miopen.h"
#include "split/fit/heuristic.h"
#include "split/sweep/problem_reduction.h"
#include "split/sweep/sweep_result.h"

namespace hone::split {

inline const std::vector<std::int64_t> kTestLimits = {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};

/// Returns a timing with a mean only.
inline Timing timingUs(double mean) { return {mean, 0, 0, 0, 0}; }

constexpr std::int64_t square(std::int64_t side) { return side * side; }

/// Returns a shape without times: an m by n matmul reduced over k.
inline ShapeResult testShape(std::int64_t m, std::int64_t n, std::int64_t k) {
  const model::Matmul matmul{.batch = 0, .m = m, .n = n, .k = k};
  return {model::formatCommandLine(matmul), findReduction(matmul).value(), {}, {}, {}};
}

/// Returns the best limit of a shape.
using BestLimit = std::function<std::int64_t(const model::Reduction&)>;

/// Sets times that grow by 30 % with every doubling away from the best limit, with at most the
/// given relative noise. No split equals limit 1; the baseline is twice as slow as the best.
inline void measure(ShapeResult& shape, const BestLimit& best, double noise, Random& random) {
  const double fastest = 10 + static_cast<double>(shape.reduction.reductionSize()) / 100;
  const auto timing = [&](double factor) {
    const double mean = fastest * factor * (1 + noise * (2 * random.uniform() - 1));
    return Timing{mean, mean * 0.9, mean * 1.2, mean, mean * 0.05};
  };
  for (const std::int64_t limit : kTestLimits) {
    const double doublings = std::abs(
        std::log2(static_cast<double>(limit) / static_cast<double>(best(shape.reduction))));
    shape.limits[limit] = timing(std::pow(1.3, doublings));
  }
  shape.noSplit = shape.limits.at(1);
  shape.baseline = timing(2);
}

/// Returns a sweep of matmuls over a wide range of sizes, in random order.
inline SweepResult testSweep(std::size_t shapes, const BestLimit& best, double noise,
                             std::uint64_t seed) {
  Random random(seed);
  SweepResult sweep{kTestLimits, {}, {}, 0};
  const auto size = [&](double lowest, double highest) {
    return static_cast<std::int64_t>(lowest * std::pow(highest / lowest, random.uniform()));
  };
  for (std::size_t i = 0; i < shapes; ++i) {
    const std::int64_t k = std::int64_t{1} << size(15, 21);
    sweep.shapes.push_back(testShape(size(4, 2000), size(4, 2000), k));
    // Like a convolution's: each limit gives other tile sizes.
    sweep.shapes.back().reduction.sizes = {64, 64, k / 4096};
    measure(sweep.shapes.back(), best, noise, random);
  }
  return sweep;
}

/// Returns a sweep in which all limits are equal except for noise.
inline SweepResult noiseSweep(std::size_t shapes, double noise, std::uint64_t seed) {
  SweepResult sweep = testSweep(shapes, [](const model::Reduction&) { return 64; }, 0, seed);
  Random random(seed);
  for (ShapeResult& shape : sweep.shapes) {
    for (auto& [limit, timing] : shape.limits) {
      timing = {.meanUs = 100 * (1 + noise * random.uniform())};
    }
    shape.noSplit.reset();
    shape.baseline.reset();
  }
  return sweep;
}

inline BestLimit bestBy(const Ladder& ladder) {
  return [ladder](const model::Reduction& reduction) {
    return chooseLimit(ladder, reduction).value_or(1);
  };
}

}  // namespace hone::split
