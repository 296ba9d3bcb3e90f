#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "model/result/summary/split_heuristic.h"
#include "split/fit/heuristic.h"
#include "split/sweep/sweep_result.h"

namespace hone::split {

struct LimitTime {
  std::int64_t limit = 0;
  double timeUs = 0;
};

/// Return the fastest and slowest limit, the smaller one on a tie, ignoring baseline and no split;
/// nullopt if all limits failed.
[[nodiscard]] std::optional<LimitTime> fastestLimit(const ShapeResult& shape);
[[nodiscard]] std::optional<LimitTime> slowestLimit(const ShapeResult& shape);
/// Returns the shortest measured time of the shape over limits, baseline and no split.
[[nodiscard]] std::optional<double> bestUs(const ShapeResult& shape);

/// Returns the measured time of a decision: to split with a limit, or (nullopt) not to split.
/// Limits that give the same tile sizes are the same decision; a limit without sizes means no
/// split.
[[nodiscard]] std::optional<double> measuredUs(const ShapeResult& shape,
                                               std::optional<std::int64_t> limit);

/// A shape with its predicted time under a heuristic.
struct Prediction {
  const ShapeResult* shape = nullptr;  ///< never null; not owned
  std::optional<double> timeUs;        ///< nullopt: the heuristic's decision was not measured
};

[[nodiscard]] Prediction predict(const Heuristic& heuristic, const ShapeResult& shape);

using model::Regret;  ///< excess of the predicted over the best measured times

[[nodiscard]] Regret computeRegret(std::span<const Prediction> predictions);

}  // namespace hone::split
