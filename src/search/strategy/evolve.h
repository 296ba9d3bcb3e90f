#pragma once

#include <memory>

#include "search/strategy/strategy.h"

namespace hone::search {

/// Creates a strategy that mutates and crosses the best points so far. A Gaussian process ranks the
/// children.
[[nodiscard]] std::unique_ptr<Strategy> makeEvolve(const Space& space,
                                                   const StrategyOptions& options);

}  // namespace hone::search
