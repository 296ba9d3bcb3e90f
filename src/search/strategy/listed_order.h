#pragma once

#include <memory>

#include "search/strategy/strategy.h"

namespace hone::search {

/// Creates a strategy that draws uniformly from the remaining points.
[[nodiscard]] std::unique_ptr<Strategy> makeRandom(const Space& space,
                                                   const StrategyOptions& options);
/// Creates a strategy that tries the given first points, then all others in order.
[[nodiscard]] std::unique_ptr<Strategy> makeExhaustive(const Space& space,
                                                       const StrategyOptions& options);

}  // namespace hone::search
