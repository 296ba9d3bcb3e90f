#pragma once

#include <memory>

#include "search/strategy/strategy.h"

namespace hone::search {

/// Children of the best so far, by steps to near points and by mixing two; which of them is tried,
/// a Gaussian process says.
[[nodiscard]] std::unique_ptr<Strategy> makeEvolve(const Space& space,
                                                   const StrategyOptions& options);

}  // namespace hone::search
