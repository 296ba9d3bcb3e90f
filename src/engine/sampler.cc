#include "engine/sampler.h"

#include <algorithm>
#include <cmath>

#include "stats/summary.h"

namespace hone::engine {
namespace {

/// Below this a sample is mostly the noise of clock and scheduler.
constexpr double kShortestSampleNs = 2e6;
/// What a process that measures may take after its start, roughly.
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
  return pace;
}

Result<Pace> Sampler::paceFor(const iree::Call& call) const {
  iree::Timings look = HONE_TRY(runner_.timeFirst(call));
  const auto ran = [&] { return look.report.status == iree::CallReport::Status::ok; };
  if (ran() && look.times.front().wallNs > kLongCallNs) {
    return Pace{1, 1, false};
  }
  look = HONE_TRY(runner_.time(call, 1, 3));
  if (!ran()) {
    return userError("{}", look.report.message);
  }
  double fastestNs = look.times.front().wallNs;
  for (const iree::CallTime& time : look.times) {
    fastestNs = std::min(fastestNs, time.wallNs);
  }
  return paceOf(fastestNs);
}

namespace {

Measurement measurementOf(const iree::Timings& timings, model::Stage stage, std::int64_t round,
                          std::int64_t position, std::int64_t iterations) {
  Measurement measurement;
  measurement.message = timings.report.message;
  measurement.diagnostics = timings.report.diagnostics;
  if (timings.report.status == iree::CallReport::Status::timedOut) {
    measurement.outcome = model::Outcome::runTimeout;
  } else if (timings.report.status != iree::CallReport::Status::ok) {
    measurement.outcome = model::Outcome::runFailed;
  } else {
    for (std::size_t i = 0; i < timings.times.size(); ++i) {
      measurement.samples.push_back({stage, round, position, static_cast<std::int64_t>(i),
                                     timings.times[i].wallNs, timings.times[i].cpuNs, iterations});
    }
  }
  return measurement;
}

}  // namespace

Result<Measurement> Sampler::take(const iree::Call& call, const Pace& pace, model::Stage stage,
                                  std::int64_t round, std::int64_t position) const {
  const iree::Timings timings =
      pace.warmUp ? HONE_TRY(runner_.time(call, pace.iterations, pace.repetitions))
                  : HONE_TRY(runner_.timeCold(call, pace.repetitions));
  return measurementOf(timings, stage, round, position, pace.iterations);
}

Result<Measurement> Sampler::takeFirst(const iree::Call& call,
                                       std::optional<std::chrono::milliseconds> patience) const {
  return measurementOf(HONE_TRY(runner_.timeFirst(call, patience)), model::Stage::screen, 0, 0, 1);
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
