#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hone::model {

/// Where in the life of a trial a sample was taken. Stored by name.
enum class Stage : std::uint8_t { screen, race, final };

[[nodiscard]] std::string_view nameOf(Stage stage);
[[nodiscard]] std::optional<Stage> stageFrom(std::string_view name);

/// One measurement: the time of one call, taken as the mean over `iterations` calls in a row where
/// one call is too short for the clock.
struct Sample {
  Stage stage = Stage::screen;
  std::int64_t round = 0;       ///< samples of the same stage and round were taken side by side
  std::int64_t position = 0;    ///< place in the order within the round
  std::int64_t repetition = 0;  ///< several samples may come from one process
  double wallNs = 0;
  double cpuNs = 0;
  std::int64_t iterations = 1;

  bool operator==(const Sample&) const = default;
};

}  // namespace hone::model
