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

/// The times of one candidate, in microseconds as the files have them.
struct Timing {
  double meanUs = 0;
  /// 0 where only the mean is known: files of other tools have no more.
  double minUs = 0, maxUs = 0, medianUs = 0, stddevUs = 0;

  /// The median, or the mean where there is no more.
  [[nodiscard]] double typicalUs() const { return medianUs > 0 ? medianUs : meanUs; }
  bool operator==(const Timing&) const = default;
};

/// A problem with what was measured of it.
struct ShapeResult {
  std::string arguments;  ///< the workload's line, or a line for one of the problems it asks for
  Reduction reduction;
  std::map<std::int64_t, Timing> limits;  ///< by limit; only those that were measured
  std::optional<Timing> baseline;         ///< the compiler's own choice, with split reduction on
  std::optional<Timing> noSplit;          ///< split reduction off

  bool operator==(const ShapeResult&) const = default;
};

/// The result of one problem, kept with the run: a later sweep takes it from there.
struct ShapeRecord {
  std::string race;  ///< equal where the very same would be measured
  ShapeResult shape;
  std::vector<std::string> failures;
  std::int64_t compiled = 0;  ///< different ways that it was split
};

[[nodiscard]] nlohmann::json toJson(const ShapeRecord& record);
/// Older versions kept no race, failures and count; such a record has an empty race.
[[nodiscard]] Result<ShapeRecord> shapeRecordFrom(const nlohmann::json& json);

}  // namespace hone::model
