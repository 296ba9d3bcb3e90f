#pragma once

#include <string>
#include <vector>

#include "model/problem/root_operation.h"
#include "model/result/summary/tune_result.h"
#include "search/space/space.h"
#include "store/store.h"
#include "tune/layers/layer_search.h"
#include "tune/program/program_flags.h"

namespace hone::tune {

using model::Precedent;

/// Findings of earlier tune runs.
struct History {
  std::vector<Precedent> precedents;  ///< winners of dispatches, newest first
  KnownLayers layers;                 ///< measured layers, the newest measurement of each
  FlagGains flagGains;                ///< proven programs per flag set
};

/// Reads the finished tune runs with the target and CPU model of a run. Layers and flag sets are
/// taken only from runs with its device and compiler.
[[nodiscard]] Result<History> readHistory(const store::Store& store, const store::Run& like);

/// Returns the distance of two operations, in doublings of loop sizes; nothing if they are not
/// comparable.
[[nodiscard]] std::optional<double> distanceBetween(const model::RootOperation& a,
                                                    const model::RootOperation& b);

/// Returns the points nearest to the winners of the most similar operations.
[[nodiscard]] std::vector<std::size_t> likelyPoints(const std::vector<Precedent>& precedents,
                                                    const model::RootOperation& root,
                                                    const search::Space& space);

}  // namespace hone::tune
