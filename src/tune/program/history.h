#pragma once

#include <string>
#include <vector>

#include "model/problem/root_operation.h"
#include "model/result/summary/tune_result.h"
#include "search/space/space.h"
#include "store/store.h"

namespace hone::tune {

using model::Precedent;

/// Returns the winners of earlier tune runs with this target and CPU model, newest first.
[[nodiscard]] Result<std::vector<Precedent>> precedents(const store::Store& store,
                                                        const std::string& target,
                                                        const std::string& cpu);

/// Returns the distance of two operations, in doublings of loop sizes; nothing if they are not
/// comparable.
[[nodiscard]] std::optional<double> distanceBetween(const model::RootOperation& a,
                                                    const model::RootOperation& b);

/// Returns the points nearest to the winners of the most similar operations.
[[nodiscard]] std::vector<std::size_t> likelyPoints(const std::vector<Precedent>& precedents,
                                                    const model::RootOperation& root,
                                                    const search::Space& space);

}  // namespace hone::tune
