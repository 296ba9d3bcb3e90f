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

/// Over the limits alone, the smaller one of equals. Nothing where all of them failed.
[[nodiscard]] std::optional<LimitTime> fastestLimit(const ShapeResult& shape);
[[nodiscard]] std::optional<LimitTime> slowestLimit(const ShapeResult& shape);
/// The least time that was measured of the shape, under whatever: limits, baseline, no split.
[[nodiscard]] std::optional<double> bestUs(const ShapeResult& shape);

/// What was measured of a decision: to split by a limit, or (nothing) not to split. Limits that the
/// compiler makes the same sizes of are the same decision; with no sizes it does not split.
[[nodiscard]] std::optional<double> measuredUs(const ShapeResult& shape,
                                               std::optional<std::int64_t> limit);
/// The same where it was measured. Otherwise, for a limit the time of the nearest one by log2 that
/// was, the smaller of two as near; for not splitting the time of limit 1, which makes one part.
[[nodiscard]] std::optional<double> timeUnder(const ShapeResult& shape,
                                              std::optional<std::int64_t> limit);

/// A shape with the time that a heuristic is predicted to give it.
struct Prediction {
  const ShapeResult* shape = nullptr;  ///< never null; the caller keeps it
  std::optional<double> timeUs;
};

[[nodiscard]] Prediction predict(const Heuristic& heuristic, const ShapeResult& shape);

using model::Regret;

[[nodiscard]] Regret regretOf(std::span<const Prediction> predictions);

}  // namespace hone::split
