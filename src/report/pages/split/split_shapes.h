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

/// A swept problem with its representative times.
struct SplitShape {
  std::string arguments;  ///< line of the workload
  std::string name;       ///< options that differ between the shapes
  model::Reduction reduction;
  std::map<std::int64_t, double> limitsNs;  ///< by limit
  std::optional<double> baselineNs;         ///< under the compiler's default
  std::optional<double> noSplitNs;

  /// Returns the smallest of these times, if any.
  [[nodiscard]] std::optional<double> bestNs() const;
  /// Returns the fastest limit, the smallest one of equals.
  [[nodiscard]] std::optional<std::int64_t> bestLimit() const;
};

/// Converts the shapes stored in the result of `hone split`.
[[nodiscard]] std::vector<SplitShape> toShapes(const std::vector<model::ShapeRecord>& records);

/// Collects the shapes of an unfinished run from its trials, which have no sizes.
[[nodiscard]] std::vector<SplitShape> collectShapes(const RunRecord& record);

/// Shortens workload lines to the options that differ among lines with the same first word.
/// "conv -n 1 -c 3" and "conv -n 2 -c 3" become "n1" and "n2"; in the presence of other first
/// words, "conv n1" and "conv n2". A single line is returned unchanged.
[[nodiscard]] std::vector<std::string> shortenToDifferences(const std::vector<std::string>& lines);

}  // namespace hone::report
