#pragma once

#include <memory>

#include "search/strategy/strategy.h"

namespace hone::search {

/// Creates a strategy that tries the points, anywhere in the space, with the largest improvement
/// expected by a random forest.
[[nodiscard]] std::unique_ptr<Strategy> makeModel(const Space& space,
                                                  const StrategyOptions& options);

}  // namespace hone::search
