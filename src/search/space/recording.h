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

/// How one point of a space did.
struct RecordedPoint {
  std::vector<std::int64_t> values;  ///< one a knob
  std::optional<double> timeNs{};    // NOLINT(readability-redundant-member-init): g++ warns without
  /// Why there is no time.
  std::string failure{};  // NOLINT(readability-redundant-member-init): g++ warns without
  /// What the static model thought of it.
  std::optional<double> guess{};  // NOLINT(readability-redundant-member-init): g++ warns without
  bool operator==(const RecordedPoint&) const = default;
};

/// A space of which every point was tried, so that strategies can be compared without a compiler.
struct Recording {
  std::string name;
  std::vector<Knob> knobs;
  std::vector<RecordedPoint> points;
  /// What a strategy was given to begin with.
  std::vector<std::vector<std::int64_t>>
      first{};  // NOLINT(readability-redundant-member-init): g++ warns without
  bool operator==(const Recording&) const = default;

  /// Its points in the order of their numbers in a Space.
  void sort();
  /// The shortest time; nothing where all points failed.
  [[nodiscard]] std::optional<double> best() const;
};

/// JSON with a line for each point.
[[nodiscard]] std::string toText(const Recording& recording);
/// What is wrong with a text is a user error that names the place.
[[nodiscard]] Result<Recording> recordingFrom(std::string_view text);
[[nodiscard]] Result<Recording> readRecording(const std::filesystem::path& file);

}  // namespace hone::search
