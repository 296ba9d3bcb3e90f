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

/// Sums over all shapes that a way to split was validated on.
struct SplitTally {
  std::int64_t shapes = 0;
  double totalSpeedup = 1;
  double geomeanSpeedup = 1;
  std::int64_t improved = 0, neutral = 0, regressed = 0, ambiguous = 0;
};

/// A shape under one way to split, against the compiler's own.
struct SplitChoice {
  std::optional<double> timeUs;
  std::optional<stats::Verdict> verdict;
  std::optional<stats::Interval> speedup;
};

struct ValidatedSplit {
  std::string arguments;
  std::optional<double> baselineUs;
  std::string taken;                           ///< the recommended way
  std::map<std::string, SplitChoice> choices;  ///< by way: "1-D", "2-D", "oracle"

  /// The recommended way; nothing where that is the compiler's own.
  [[nodiscard]] std::optional<SplitChoice> recommended() const;
};

/// The summary of a sweep of `hone split`.
struct SplitResult {
  std::optional<std::int64_t> run;
  std::string results;  ///< the folder of the result files
  std::vector<std::string> failures;
  std::vector<Recommendation> recommendations;
  std::optional<double> sweepSeconds;
  std::optional<std::vector<ShapeRecord>> shapes;  ///< nothing while it is under way
  /// By way: "1-D", "2-D", "oracle", "recommended"; without those that were not validated.
  std::map<std::string, SplitTally> validation;
  std::vector<ValidatedSplit> validated;
};

[[nodiscard]] nlohmann::json toJson(const SplitResult& result);
/// Leaves out recommendations of a form that this version does not know.
[[nodiscard]] Result<SplitResult> splitResultFrom(const nlohmann::json& json);

/// An operation of a program that was annotated.
struct AnnotatedOperation {
  std::optional<Reduction> reduction;
  std::vector<std::int64_t> sizes;  ///< of its parts; none where it is not split
  std::optional<double> gainAlone;
};

/// The summary of `hone split annotate`.
struct SplitAnnotation {
  std::optional<std::int64_t> run;
  std::string output;  ///< "" where nothing was written
  std::optional<stats::Verdict> verdict;
  std::optional<stats::Interval> speedup;
  std::vector<AnnotatedOperation> operations;
};

[[nodiscard]] nlohmann::json toJson(const SplitAnnotation& annotation);
/// Nothing where the summary is that of a sweep.
[[nodiscard]] Result<std::optional<SplitAnnotation>> splitAnnotationFrom(
    const nlohmann::json& json);

}  // namespace hone::model
