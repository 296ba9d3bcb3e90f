#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hone::model {

/// Stage of a trial in which a sample was taken. Stored by name.
enum class Stage : std::uint8_t { screen, race, final };

[[nodiscard]] std::string_view nameOf(Stage stage);
[[nodiscard]] std::optional<Stage> stageFrom(std::string_view name);

/// One measurement: the time of one call. If a call is too short for the clock, it is the mean over
/// `iterations` consecutive calls.
struct Sample {
  Stage stage = Stage::screen;
  std::int64_t round = 0;       ///< samples of the same stage and round are comparable
  std::int64_t position = 0;    ///< position within the round
  std::int64_t repetition = 0;  ///< a process may take several samples
  double wallNs = 0;
  double cpuNs = 0;
  std::int64_t iterations = 1;

  bool operator==(const Sample&) const = default;
};

}  // namespace hone::model
