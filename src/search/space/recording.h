#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "search/space/space.h"

namespace hone::search {

/// Measured result of one point.
struct RecordedPoint {
  std::vector<std::int64_t> values;  ///< one per knob
  std::optional<double> timeNs{};
  /// Reason for a missing time.
  std::string failure{};
  /// Cost by the static model.
  std::optional<double> guess{};
  bool operator==(const RecordedPoint&) const = default;
};

/// A space whose points were all measured, for comparing strategies without a compiler.
struct Recording {
  std::string name;
  std::vector<Knob> knobs;
  std::vector<RecordedPoint> points;
  /// Points that a strategy tries first.
  std::vector<std::vector<std::int64_t>> first{};
  bool operator==(const Recording&) const = default;

  /// Sorts the points in the order of their numbers in a Space.
  void sort();
  /// Returns the shortest time; nothing if all points failed.
  [[nodiscard]] std::optional<double> best() const;
};

/// Formats the recording as JSON with one line per point.
[[nodiscard]] std::string toText(const Recording& recording);
/// Parses a recording; fails with a user error that names the location.
[[nodiscard]] Result<Recording> recordingFrom(std::string_view text);
[[nodiscard]] Result<Recording> readRecording(const std::filesystem::path& file);

}  // namespace hone::search
