#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/problem/reduction.h"
#include "model/result/summary/split_shape.h"
#include "report/data/run_record.h"

namespace hone::report {

/// A problem of a sweep with its typical times.
struct SplitShape {
  std::string arguments;  ///< the workload's line
  std::string name;       ///< what of it tells the shapes apart
  model::Reduction reduction;
  std::map<std::int64_t, double> limitsNs;  ///< by limit
  std::optional<double> baselineNs;         ///< the compiler's own choice
  std::optional<double> noSplitNs;

  /// The least of all these; nothing where nothing was timed.
  [[nodiscard]] std::optional<double> bestNs() const;
  /// The fastest limit, the smaller one of equals.
  [[nodiscard]] std::optional<std::int64_t> bestLimit() const;
};

/// The shapes that a run of `hone split` kept in its result.
[[nodiscard]] std::vector<SplitShape> shapesOf(const std::vector<model::ShapeRecord>& records);

/// The same of a run that has no summary yet: what its trials tell so far, which know no sizes.
[[nodiscard]] std::vector<SplitShape> shapesSoFar(const RunRecord& record);

/// Lines of words without the words that all of their kind have, the first word: "conv -n 1 -c 3"
/// and "conv -n 2 -c 3" are "n1" and "n2", beside a gemm "conv n1" and "conv n2". A line alone
/// stays as it is.
[[nodiscard]] std::vector<std::string> toldApart(const std::vector<std::string>& lines);

}  // namespace hone::report
