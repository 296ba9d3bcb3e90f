#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/propose/analysis/analysis.h"
#include "kernel/propose/plan.h"

namespace hone::kernel {

/// A plan worth a try, and how much.
struct Move {
  Plan plan;
  double priority = 0;
  std::string why;
};

/// How much of the time each technique may win, by the findings; a little for those without one.
[[nodiscard]] double weightOf(const std::vector<Finding>& findings, std::string_view technique);

/// Where to begin: all techniques that do something together, in several combinations, and each
/// alone. The best first.
[[nodiscard]] std::vector<Move> firstMoves(const Source& root, const std::vector<Finding>& findings,
                                           bool threads);

/// Steps away from a plan: a technique more or less, and knobs by one or two values, one or two at
/// a time. The best first; equal ones in an order that the seed decides.
[[nodiscard]] std::vector<Move> nextMoves(const Plan& base, const std::vector<Finding>& findings,
                                          bool threads, std::uint64_t seed);

}  // namespace hone::kernel
