#pragma once

#include <string>
#include <vector>

#include "model/problem/root_operation.h"
#include "model/result/summary/tune_result.h"
#include "search/space/space.h"
#include "store/store.h"

namespace hone::tune {

using model::Precedent;

/// What tune runs of this target on this machine's kind of CPU won with, the newest first.
[[nodiscard]] Result<std::vector<Precedent>> precedents(const store::Store& store,
                                                        const std::string& target,
                                                        const std::string& cpu);

/// How unlike two operations are: doublings of loop sizes between them; nothing where they cannot
/// be compared.
[[nodiscard]] std::optional<double> distanceBetween(const model::RootOperation& a,
                                                    const model::RootOperation& b);

/// Points of the space that are nearest to what won for the operations most like this one.
[[nodiscard]] std::vector<std::size_t> likelyPoints(const std::vector<Precedent>& precedents,
                                                    const model::RootOperation& root,
                                                    const search::Space& space);

}  // namespace hone::tune
