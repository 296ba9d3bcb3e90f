#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/problem/reduction.h"
#include "model/result/summary/split_heuristic.h"
#include "model/result/summary/split_shape.h"
#include "stats/compare.h"

namespace hone::model {

/// Totals over all shapes that one split strategy was validated on.
struct SplitTally {
  std::int64_t shapes = 0;
  std::optional<double> totalSpeedup;  ///< absent if no shape was measured
  std::optional<double> geomeanSpeedup;
  std::int64_t improved = 0, neutral = 0, regressed = 0, ambiguous = 0;
};

/// Result of one split strategy on a shape, compared with the compiler's default.
struct SplitChoice {
  std::optional<double> timeUs;
  std::optional<stats::Verdict> verdict;
  std::optional<stats::Interval> speedup;
};

/// Validation of one shape. The strategies are the code fitted by output size ("1-D"), by output
/// and reduction size ("2-D"), and the fastest split that the sweep measured for the shape
/// ("oracle"). A compiler built with the recommended code is validated alone ("built").
struct ValidatedSplit {
  std::string arguments;
  std::optional<double> baselineUs;
  std::string taken;                           ///< the recommended strategy
  std::map<std::string, SplitChoice> choices;  ///< by strategy: "1-D", "2-D", "oracle", "built"

  /// Returns the choice of the recommended strategy; nullopt if it was not measured.
  [[nodiscard]] std::optional<SplitChoice> recommended() const;
};

/// Summary of a sweep of `hone split`.
struct SplitResult {
  std::optional<std::int64_t> run;
  std::string results;  ///< folder of the result files
  std::vector<std::string> failures;
  std::vector<Recommendation> recommendations;
  std::optional<double> sweepSeconds;
  std::optional<std::vector<ShapeRecord>> shapes;  ///< absent while the sweep is running
  /// By strategy: "1-D", "2-D", "oracle", "built", "recommended". Strategies that were not
  /// validated are absent.
  std::map<std::string, SplitTally> validation;
  std::vector<ValidatedSplit> validated;
};

[[nodiscard]] nlohmann::json toJson(const SplitResult& result);
/// Decodes a result. Skips recommendations in a form this version does not know.
[[nodiscard]] Result<SplitResult> splitResultFrom(const nlohmann::json& json);

/// An annotated operation of a program.
struct AnnotatedOperation {
  std::optional<Reduction> reduction;
  std::vector<std::int64_t> sizes;  ///< tile size per reduction loop; empty if not split
  std::optional<double> gainAlone;
};

/// Summary of `hone split annotate`.
struct SplitAnnotation {
  std::optional<std::int64_t> run;
  std::string output;  ///< "" if nothing was written
  std::optional<stats::Verdict> verdict;
  std::optional<stats::Interval> speedup;
  std::vector<AnnotatedOperation> operations;
};

[[nodiscard]] nlohmann::json toJson(const SplitAnnotation& annotation);
/// Decodes an annotation. Returns nullopt if the summary belongs to a sweep.
[[nodiscard]] Result<std::optional<SplitAnnotation>> splitAnnotationFrom(
    const nlohmann::json& json);

}  // namespace hone::model
