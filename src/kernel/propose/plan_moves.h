#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/propose/analysis/analysis.h"
#include "kernel/propose/rewrite_plan.h"

namespace hone::kernel {

/// A plan to try, with its priority.
struct Move {
  RewritePlan plan;
  double priority = 0;
  std::string why;
};

/// Returns the moves of the first turn, best first: several combinations of all techniques that
/// apply together, and each technique alone.
[[nodiscard]] std::vector<Move> firstMoves(const Source& root, const std::vector<Finding>& findings,
                                           bool threads);

/// Returns the neighbours of a plan, best first: one technique added or removed, or one or two
/// knobs changed by one or two values. The seed breaks ties.
[[nodiscard]] std::vector<Move> nextMoves(const RewritePlan& base,
                                          const std::vector<Finding>& findings, bool threads,
                                          std::uint64_t seed);

}  // namespace hone::kernel
