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
/// Children of the best so far, by steps to near points and by mixing two; which of them is tried,
/// a Gaussian process says.
[[nodiscard]] std::unique_ptr<Strategy> makeEvolve(const Space& space,
                                                   const StrategyOptions& options);
/// Points from everywhere that a forest of regression trees expects most of.
[[nodiscard]] std::unique_ptr<Strategy> makeModel(const Space& space,
                                                  const StrategyOptions& options);

}  // namespace hone::search
