#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/run/device.h"
#include "iree/run/execution.h"
#include "model/result/outcome.h"
#include "model/result/sample.h"

namespace hone::engine {

/// Amount of work of a measuring process: `repetitions` samples of `iterations` calls each.
struct Pace {
  std::int64_t iterations = 1;
  std::int64_t repetitions = 3;
  bool warmUp = true;  ///< one more repetition first, which is not counted
};

/// Calls longer than this are not warmed up in races and finals, since the first call of a process
/// takes hardly longer than the others.
constexpr double kLongCallNs = 0.3e9;

/// Returns the pace for a call time: enough calls per sample for the clock, and enough samples to
/// justify the start of a process. Disables the warm-up for long calls.
[[nodiscard]] Pace choosePace(double callNs);

/// Position of one process among the measurements of a stage.
struct TimeSlot {
  model::Stage stage = model::Stage::screen;
  std::int64_t round = 0;
  std::int64_t position = 0;  ///< within the round
};

struct Measurement {
  model::Outcome outcome = model::Outcome::ok;
  std::string message;
  std::string diagnostics;
  std::vector<model::Sample> samples;
};

/// Fails with a machine error if the device is lost.
[[nodiscard]] Result<void> expectDevice(const iree::ModuleRunner& runner);

/// Returns the time of one process: the median CPU time of its samples, or the minimum wall time,
/// because waiting for a busy machine only adds to it.
[[nodiscard]] double rankTime(std::span<const model::Sample> samples, iree::RankBy rankBy);

/// Takes samples on one device, in a fresh process each time.
class Sampler {
 public:
  explicit Sampler(const iree::ModuleRunner& runner) : runner_(runner) {}

  /// Determines the pace for a call by a warm-up and three calls. Fails with a user error if the
  /// call fails.
  [[nodiscard]] Result<Pace> paceFor(const iree::Call& call) const;
  [[nodiscard]] Result<Measurement> take(const iree::Call& call, const Pace& pace,
                                         const TimeSlot& slot) const;
  /// Screens a call; see screening.h. With a best time, a much slower process is stopped as
  /// `too_slow`, without samples.
  [[nodiscard]] Result<Measurement> screen(const iree::Call& call,
                                           std::optional<double> bestNs = {}) const;
  /// Returns the time (wall or CPU) used for ranking on this device.
  [[nodiscard]] iree::RankBy rankBy() const { return runner_.device().rankBy; }

 private:
  const iree::ModuleRunner& runner_;
};

}  // namespace hone::engine
