#include "split/sweep/validation/validation.h"

#include <algorithm>

namespace hone::split {

using stats::Verdict;

Verdict compareTimes(double baselineUs, double timeUs) {
  const double speedup = baselineUs / timeUs;
  return speedup > 1.05   ? Verdict::improved
         : speedup < 0.95 ? Verdict::regressed
                          : Verdict::neutral;
}

std::int64_t Validation::count(Verdict verdict) const {
  return std::count_if(shapes.begin(), shapes.end(),
                       [&](const ValidatedShape& shape) { return shape.verdict == verdict; });
}

}  // namespace hone::split
