#include <algorithm>
#include <array>
#include <cmath>

#include "base/hash.h"
#include "base/text.h"
#include "kernel/judge/judge_state.h"
#include "stats/summary.h"
#include "trial/sampler.h"

namespace hone::kernel {
namespace {

using model::Outcome;
using std::chrono::milliseconds;

/// A speed above this many times the machine's best is no speed.
constexpr double kGenerous = 1.5;
constexpr int kLooks = 3;

/// The time that counts: with one thread what it computed, with more what one waits for it.
double rankNs(double wallNs, double cpuNs, int threads) {
  return threads == 1 ? std::min(wallNs, cpuNs) : wallNs;
}

}  // namespace

Result<void> Judge::State::makeTimingCases() {
  const std::size_t count = std::max<std::size_t>(2, options.inputSets);
  for (std::size_t i = timingCases.size(); i < count; ++i) {
    const std::uint64_t seed = seedFrom(options.seed, fmt::format("timing {}", i));
    timingCases.push_back(HONE_TRY(makeCase(0, ValueKind::unit, seed)));
  }
  return {};
}

Result<void> Judge::State::time(const Runnable& runnable, model::Stage stage, std::int64_t round,
                                std::int64_t position, Judged& judged) {
  HONE_CHECK(makeTimingCases());
  CallTensors& used = tensors[0][0];
  const std::array<const CallTensors*, 1> all = {&used};
  auto subject = HONE_TRY(Subject::start(runnable, all, options.limits.wall, judged));
  if (!subject) {
    return {};
  }
  const auto take = [&](Case& contents, std::int64_t warmUp,
                        const trial::Pace& pace) -> Result<std::optional<TimedReply>> {
    used.fill(contents.inputs, random);
    const auto limit = patience(0) * (warmUp + 1) + milliseconds(1000);
    auto timed =
        HONE_TRY(subject->time(used, warmUp, pace.iterations, random.next() >> 11U, limit, judged));
    if (timed && !HONE_TRY(check(*subject, used, contents, judged))) {
      return std::nullopt;
    }
    return timed;
  };
  const auto look = HONE_TRY(take(timingCases.front(), 1, {1, 1, true}));
  if (!look) {
    return {};
  }
  const trial::Pace pace = trial::paceOf(rankNs(look->wallNs, look->cpuNs, options.threads));
  for (std::int64_t i = 0; i < pace.repetitions; ++i) {
    Case& contents = timingCases[static_cast<std::size_t>(i + 1) % timingCases.size()];
    const auto timed = HONE_TRY(take(contents, 1, pace));
    if (!timed) {
      return {};
    }
    const auto calls = static_cast<double>(pace.iterations);
    judged.samples.push_back(
        {stage, round, position, i, timed->wallNs / calls, timed->cpuNs / calls, pace.iterations});
  }
  if (const std::string busy = subject->worker().busyWhileIdle(); !busy.empty()) {
    judged.outcome = Outcome::invalid;
    judged.message = busy;
    return {};
  }
  return checkSpeed(judged);
}

Result<void> Judge::State::checkSpeed(Judged& judged) {
  std::vector<double> times;
  for (const model::Sample& sample : judged.samples) {
    times.push_back(rankNs(sample.wallNs, sample.cpuNs, options.threads));
  }
  const double callNs = stats::median(times);
  for (int i = 0; i < kLooks; ++i) {
    const double leastNs = HONE_TRY(peak.leastNs(task.shape, options.threads, builder)) / kGenerous;
    if (callNs >= leastNs) {
      return {};
    }
    HONE_CHECK(peak.measure(builder));
  }
  judged.outcome = Outcome::invalid;
  judged.message = fmt::format(
      "faster than this machine can be: a call takes {}, and {:.0f} GFLOP/s and {:.0f} GB/s are "
      "the most that a core does; it does not do what the reference says",
      humanTime(callNs), peak.gflops(), peak.gbps());
  judged.samples.clear();
  return {};
}

}  // namespace hone::kernel
