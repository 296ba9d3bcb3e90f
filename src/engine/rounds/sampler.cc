#include "engine/rounds/sampler.h"

#include <algorithm>
#include <cmath>

#include "base/text/text.h"
#include "engine/rounds/screening.h"
#include "stats/summary.h"

namespace hone::engine {
namespace {

/// Shorter samples are dominated by the noise of the clock and the scheduler.
constexpr double kMinSampleNs = 2e6;
/// Target measuring time per process.
constexpr double kProcessNs = 40e6;
constexpr std::int64_t kMaxIterations = 20'000;
constexpr std::int64_t kMaxRepetitions = 5;

}  // namespace

Result<void> expectDevice(const iree::ModuleRunner& runner) {
  if (HONE_TRY(iree::isPresent(runner.installation(), runner.device()))) {
    return {};
  }
  return machineError(
      "device {} is lost; results so far are stored; rerun the command when it is back",
      runner.device().name);
}

Pace choosePace(double callNs) {
  const double atLeast = std::max(callNs, 1.0);
  Pace pace;
  pace.iterations = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::ceil(kMinSampleNs / atLeast)), 1, kMaxIterations);
  const double sampleNs = atLeast * static_cast<double>(pace.iterations);
  pace.repetitions = std::clamp<std::int64_t>(static_cast<std::int64_t>(kProcessNs / sampleNs), 1,
                                              kMaxRepetitions);
  pace.warmUp = callNs <= kLongCallNs;
  return pace;
}

namespace {

double fastestWallNs(const iree::Timings& timings) {
  double fastest = timings.times.front().wallNs;
  for (const iree::CallTime& time : timings.times) {
    fastest = std::min(fastest, time.wallNs);
  }
  return fastest;
}

Measurement measurementFrom(const iree::Timings& timings, const TimeSlot& slot,
                            std::int64_t iterations) {
  Measurement measurement;
  measurement.message = timings.report.message;
  measurement.diagnostics = timings.report.diagnostics;
  if (timings.report.status == iree::CallReport::Status::timedOut) {
    measurement.outcome = model::Outcome::runTimeout;
  } else if (timings.report.status != iree::CallReport::Status::ok) {
    measurement.outcome = model::Outcome::runFailed;
  } else {
    for (std::size_t i = 0; i < timings.times.size(); ++i) {
      measurement.samples.push_back({slot.stage, slot.round, slot.position,
                                     static_cast<std::int64_t>(i), timings.times[i].wallNs,
                                     timings.times[i].cpuNs, iterations});
    }
  }
  return measurement;
}

}  // namespace

Result<Pace> Sampler::paceFor(const iree::Call& call) const {
  const iree::Timings trial = HONE_TRY(runner_.time(call, 1, kScreenSamples));
  if (trial.report.status != iree::CallReport::Status::ok) {
    return userError("{}", trial.report.message);
  }
  return choosePace(fastestWallNs(trial));
}

Result<Measurement> Sampler::take(const iree::Call& call, const Pace& pace,
                                  const TimeSlot& slot) const {
  const iree::Timings timings =
      pace.warmUp ? HONE_TRY(runner_.time(call, pace.iterations, pace.repetitions))
                  : HONE_TRY(runner_.timeCold(call, pace.repetitions));
  return measurementFrom(timings, slot, pace.iterations);
}

Result<Measurement> Sampler::screen(const iree::Call& call, std::optional<double> bestNs) const {
  Pace pace{1, kScreenSamples};
  if (bestNs) {
    pace = choosePace(*bestNs);
  } else {
    const iree::Timings trial = HONE_TRY(runner_.time(call, 1, kScreenSamples));
    if (trial.report.status == iree::CallReport::Status::ok) {
      pace = choosePace(fastestWallNs(trial));
    }
    if (pace.iterations == 1) {
      return measurementFrom(trial, {}, 1);
    }
  }
  std::optional<std::chrono::milliseconds> timeout;
  if (bestNs) {
    timeout = screenTimeout(*bestNs * static_cast<double>(pace.iterations));
  }
  const std::int64_t repetitions = std::max(pace.repetitions, kScreenSamples);
  const iree::Timings timings = HONE_TRY(runner_.time(call, pace.iterations, repetitions, timeout));
  Measurement measurement = measurementFrom(timings, {}, pace.iterations);
  if (measurement.outcome == model::Outcome::runTimeout && timeout &&
      *timeout < runner_.limits().wall) {
    measurement.outcome = model::Outcome::tooSlow;
    measurement.message =
        fmt::format("stopped in screening: much slower than the best ({})", humanTime(*bestNs));
  }
  return measurement;
}

double rankTime(std::span<const model::Sample> samples, iree::RankBy rankBy) {
  std::vector<double> times;
  times.reserve(samples.size());
  for (const model::Sample& sample : samples) {
    times.push_back(rankBy == iree::RankBy::cpu ? sample.cpuNs : sample.wallNs);
  }
  return rankBy == iree::RankBy::cpu ? stats::median(times) : *std::ranges::min_element(times);
}

}  // namespace hone::engine
