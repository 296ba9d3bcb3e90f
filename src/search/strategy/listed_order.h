#pragma once

#include <memory>

#include "search/strategy/strategy.h"

namespace hone::search {

/// Any point that is left, each equally likely.
[[nodiscard]] std::unique_ptr<Strategy> makeRandom(const Space& space,
                                                   const StrategyOptions& options);
/// The points to begin with, then all others in their order.
[[nodiscard]] std::unique_ptr<Strategy> makeExhaustive(const Space& space,
                                                       const StrategyOptions& options);

}  // namespace hone::search
