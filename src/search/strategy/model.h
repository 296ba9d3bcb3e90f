#pragma once

#include <memory>

#include "search/strategy/strategy.h"

namespace hone::search {

/// Points from everywhere that a forest of regression trees expects most of.
[[nodiscard]] std::unique_ptr<Strategy> makeModel(const Space& space,
                                                  const StrategyOptions& options);

}  // namespace hone::search
