#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/problem/reduction.h"

namespace hone::model {

/// Times of one candidate in microseconds, the unit of the result files.
struct Timing {
  double meanUs = 0;
  /// 0 if only the mean is known, as in files of other tools.
  double minUs = 0, maxUs = 0, medianUs = 0, stddevUs = 0;

  /// Returns the time by which limits are compared: the minimum, because other work on the machine
  /// only adds time. Returns the median or the mean if there is no minimum.
  [[nodiscard]] double timeUs() const {
    return minUs > 0 ? minUs : medianUs > 0 ? medianUs : meanUs;
  }
  bool operator==(const Timing&) const = default;
};

/// A problem and its measurements.
struct ShapeResult {
  std::string arguments;  ///< the workload's line, or a line for one of its problems
  Reduction reduction;
  std::map<std::int64_t, Timing> limits;  ///< by limit; measured limits only
  std::optional<Timing> baseline;         ///< the compiler's default, with split reduction on
  std::optional<Timing> noSplit;          ///< split reduction off

  bool operator==(const ShapeResult&) const = default;
};

/// Result of one problem, stored with the run so that later sweeps can reuse it.
struct ShapeRecord {
  std::string race;  ///< key; equal if the measurement would be identical
  ShapeResult shape;
  std::vector<std::string> failures;
  std::int64_t compiled = 0;  ///< distinct splits that were compiled
};

[[nodiscard]] nlohmann::json toJson(const ShapeRecord& record);
/// Decodes a record. Records of older versions lack race, failures and count; their race is "".
[[nodiscard]] Result<ShapeRecord> shapeRecordFrom(const nlohmann::json& json);

}  // namespace hone::model
