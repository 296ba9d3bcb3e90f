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

/// The work of a process that measures: `repetitions` samples of `iterations` calls each.
struct Pace {
  std::int64_t iterations = 1;
  std::int64_t repetitions = 3;
  bool warmUp = true;  ///< a repetition before them that is not counted
};

/// Calls longer than this are not warmed up in races and finals: the first one of a process takes
/// hardly longer than the others.
constexpr double kLongCallNs = 0.3e9;

/// Returns as many calls per sample as the clock needs, and as many samples per process as are
/// worth its start; without a warm-up for long calls.
[[nodiscard]] Pace paceOf(double callNs);

/// The place of one process among the measurements of a stage.
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

/// Returns a machine error if the device is gone.
[[nodiscard]] Result<void> expectDevice(const iree::ModuleRunner& runner);

/// Returns the median over the samples of one process, by the time that ranks.
[[nodiscard]] double rankTime(std::span<const model::Sample> samples, iree::RankBy rankBy);

/// Takes samples on one device, each time in a fresh process.
class Sampler {
 public:
  explicit Sampler(const iree::ModuleRunner& runner) : runner_(runner) {}

  /// Returns the pace for a call, after a warm-up and three calls. A call that fails is a user
  /// error.
  [[nodiscard]] Result<Pace> paceFor(const iree::Call& call) const;
  [[nodiscard]] Result<Measurement> take(const iree::Call& call, const Pace& pace,
                                         const TimeSlot& slot) const;
  /// Screens a call: see screening.h. With a best time, a process that shows itself to be far
  /// slower is stopped as `too_slow`, without samples.
  [[nodiscard]] Result<Measurement> screen(const iree::Call& call,
                                           std::optional<double> bestNs = {}) const;
  /// Which time ranks on this device.
  [[nodiscard]] iree::RankBy rankBy() const { return runner_.device().rankBy; }

 private:
  const iree::ModuleRunner& runner_;
};

}  // namespace hone::engine
