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

/// What a child that measures is asked for: `repetitions` samples of `iterations` calls each.
struct Pace {
  std::int64_t iterations = 1;
  std::int64_t repetitions = 3;
  bool warmUp = true;  ///< a repetition before them that is not counted
};

/// To warm up for calls so long is not worth the time.
constexpr double kLongCallNs = 0.3e9;

/// As many calls a sample as the clock needs, and as many samples a process as are worth its start.
[[nodiscard]] Pace paceOf(double callNs);

struct Measurement {
  model::Outcome outcome = model::Outcome::ok;
  std::string message;
  std::string diagnostics;
  std::vector<model::Sample> samples;
};

/// An error of the machine where the device is gone: what failed on it says nothing else.
[[nodiscard]] Result<void> expectDevice(const iree::ModuleRunner& runner);

/// The median over the samples of one process, by the time that ranks: one figure a round.
[[nodiscard]] double rankTime(std::span<const model::Sample> samples, iree::RankBy rankBy);

/// Takes samples on one device, each time in a fresh process.
class Sampler {
 public:
  explicit Sampler(const iree::ModuleRunner& runner) : runner_(runner) {}

  /// From a first look at the call; without warming up where it is long.
  [[nodiscard]] Result<Pace> paceFor(const iree::Call& call) const;
  [[nodiscard]] Result<Measurement> take(const iree::Call& call, const Pace& pace,
                                         model::Stage stage, std::int64_t round,
                                         std::int64_t position) const;
  /// One sample of the stage screen: the first call of a process, rough and cheap. A process that
  /// takes longer than `patience` ends as run_timeout.
  [[nodiscard]] Result<Measurement> takeFirst(
      const iree::Call& call, std::optional<std::chrono::milliseconds> patience = {}) const;
  /// Which time ranks on this device.
  [[nodiscard]] iree::RankBy rankBy() const { return runner_.device().rankBy; }

 private:
  const iree::ModuleRunner& runner_;
};

}  // namespace hone::engine
