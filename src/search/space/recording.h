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

struct ReplayOptions {
  std::uint64_t seed = 1;
  std::size_t batch = 1;   ///< how many points are asked for at once
  std::size_t trials = 0;  ///< at most; 0: as many as there are points
  bool useGuess = true;    ///< give the strategy the recorded guesses and first points
};

/// Runs a strategy on what was recorded: the best time after each trial, infinite before the first
/// that did not fail.
[[nodiscard]] Result<std::vector<double>> replay(const Recording& recording,
                                                 std::string_view strategy,
                                                 const ReplayOptions& options);

/// After how many trials the best so far is within a fraction of the recording's best: 0.05 for 5
/// %.
[[nodiscard]] std::optional<std::size_t> trialsUntil(const Recording& recording,
                                                     const std::vector<double>& bestSoFar,
                                                     double withinFraction);

}  // namespace hone::search
