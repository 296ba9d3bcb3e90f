#include "engine/rounds/sampler.h"

#include <algorithm>
#include <cmath>

#include "base/text/text.h"
#include "engine/rounds/screening.h"
#include "stats/summary.h"

namespace hone::engine {
namespace {

/// Below this a sample is mostly the noise of clock and scheduler.
constexpr double kShortestSampleNs = 2e6;
/// Estimates how long a process that measures may take after its start.
constexpr double kProcessNs = 40e6;
constexpr std::int64_t kMaxIterations = 20'000;
constexpr std::int64_t kMaxRepetitions = 5;

}  // namespace

Result<void> expectDevice(const iree::ModuleRunner& runner) {
  if (HONE_TRY(iree::isPresent(runner.installation(), runner.device()))) {
    return {};
  }
  return machineError(
      "the device {} is gone; what was measured is stored, and the same command goes on when it is "
      "back",
      runner.device().name);
}

Pace paceOf(double callNs) {
  const double atLeast = std::max(callNs, 1.0);
  Pace pace;
  pace.iterations = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::ceil(kShortestSampleNs / atLeast)), 1, kMaxIterations);
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
  const iree::Timings look = HONE_TRY(runner_.time(call, 1, kScreenSamples));
  if (look.report.status != iree::CallReport::Status::ok) {
    return userError("{}", look.report.message);
  }
  return paceOf(fastestWallNs(look));
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
    pace = paceOf(*bestNs);
  } else {
    const iree::Timings look = HONE_TRY(runner_.time(call, 1, kScreenSamples));
    if (look.report.status == iree::CallReport::Status::ok) {
      pace = paceOf(fastestWallNs(look));
    }
    if (pace.iterations == 1) {
      return measurementFrom(look, {}, 1);
    }
  }
  std::optional<std::chrono::milliseconds> patience;
  if (bestNs) {
    patience = screenPatience(*bestNs * static_cast<double>(pace.iterations));
  }
  const std::int64_t repetitions = std::max(pace.repetitions, kScreenSamples);
  const iree::Timings timings =
      HONE_TRY(runner_.time(call, pace.iterations, repetitions, patience));
  Measurement measurement = measurementFrom(timings, {}, pace.iterations);
  if (measurement.outcome == model::Outcome::runTimeout && patience &&
      *patience < runner_.limits().wall) {
    measurement.outcome = model::Outcome::tooSlow;
    measurement.message =
        fmt::format("stopped in screening: far slower than the best, {}", humanTime(*bestNs));
  }
  return measurement;
}

double rankTime(std::span<const model::Sample> samples, iree::RankBy rankBy) {
  std::vector<double> times;
  times.reserve(samples.size());
  for (const model::Sample& sample : samples) {
    times.push_back(rankBy == iree::RankBy::cpu ? sample.cpuNs : sample.wallNs);
  }
  return stats::median(times);
}

}  // namespace hone::engine
