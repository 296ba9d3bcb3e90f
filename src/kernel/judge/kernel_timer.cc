#include "kernel/judge/kernel_timer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/clock.h"
#include "base/text/text.h"
#include "engine/rounds/sampler.h"
#include "stats/summary.h"

namespace hone::kernel {
namespace {

using model::Outcome;
using std::chrono::milliseconds;

/// A speed above this many times the machine's best is no speed.
constexpr double kGenerous = 1.5;
constexpr int kLooks = 3;
/// A process takes five samples after a look.
constexpr double kMostCases = 8;
constexpr double kFewestCases = 3;
constexpr double kCaseMemory = 1024.0 * 1024 * 1024;
/// The inputs, and what must come of them with its scales in f64.
constexpr double kCopiesOfCase = 4;
/// A time in which a virtual machine stands still counts as computing. What looks like a trick is
/// measured anew so many times in a process.
constexpr int kMostSuspicions = 2;
/// So much time a process may take for inputs that none has seen.
constexpr std::int64_t kRenewalNs = 40'000'000;

/// The time that counts: with one thread of the CPU what it computed, else what one waits for it.
double rankNs(double wallNs, double cpuNs, bool byCpuTime) {
  return byCpuTime ? std::min(wallNs, cpuNs) : wallNs;
}

/// Those of the last sample are as good as any.
void noteCounts(const std::vector<double>& counts, double calls, Judged& judged) {
  if (counts.size() == 3 && counts[1] > 0) {
    judged.facts["counters"] = {{"instructions", counts[0] / calls},
                                {"cycles", counts[1] / calls},
                                {"cache_misses", counts[2] / calls}};
  }
}

}  // namespace

Result<Case*> KernelTimer::timingCase(std::size_t turn) {
  // One for each request of a process, as far as memory is no matter: a kernel that remembers
  // whole calls meets none of them again.
  const double bytes = kCopiesOfCase * context_.task.shape.bytes();
  const auto count = static_cast<std::size_t>(
      std::clamp(kCaseMemory / std::max(bytes, 1.0), kFewestCases, kMostCases));
  const std::size_t wanted = turn % count;
  while (timingCases_.size() <= wanted) {
    const std::int64_t beginNs = nowNs();
    timingCases_.push_back(
        HONE_TRY(verifier_.makeCase(0, ValueKind::unit, context_.random.next())));
    timingCaseNs_ = nowNs() - beginNs;
  }
  return &timingCases_[wanted];
}

void KernelTimer::renewTimingCases() {
  // What a kernel prints of its inputs may reach who writes the next one.
  renewalNs_ += kRenewalNs;
  std::ptrdiff_t old = 0;
  for (; old < std::ssize(timingCases_) && renewalNs_ >= timingCaseNs_; ++old) {
    renewalNs_ -= timingCaseNs_;
  }
  renewalNs_ = std::min(renewalNs_, timingCaseNs_);
  timingCases_.erase(timingCases_.begin(), timingCases_.begin() + old);
}

Result<void> KernelTimer::time(const Runnable& runnable, model::Stage stage, std::int64_t round,
                               std::int64_t position, Judged& judged) {
  CallTensors& used = context_.tensors[0][0];
  const std::array<const CallTensors*, 1> all = {&used};
  auto subject = HONE_TRY(Subject::start(runnable, all, context_.options.limits.wall, judged));
  if (!subject) {
    return {};
  }
  renewTimingCases();
  used.fill(HONE_TRY(timingCase(0))->inputs, context_.random);
  // Warms up on the inputs of the request before, so that nothing of what is timed was seen.
  int suspicions = 0;
  std::size_t turn = 0;
  const auto take = [&](std::int64_t calls) -> Result<std::optional<TimedReply>> {
    const auto limit = context_.patience(0) * 2 + milliseconds(1000);
    const auto run = [&](std::int64_t count) {
      return subject->time(used, 0, count, context_.random.next() >> 11U, limit, judged);
    };
    while (true) {
      Case* contents = HONE_TRY(timingCase(++turn));
      const auto warmUp = HONE_TRY(run(1));
      if (!warmUp) {
        return std::nullopt;
      }
      used.fill(contents->inputs, context_.random);
      auto timed = HONE_TRY(run(calls));
      if (!timed) {
        return std::nullopt;
      }
      std::string trick = subject->workedInCopying(*timed, context_.task.shape);
      if (trick.empty() && !HONE_TRY(verifier_.check(*subject, used, *contents, judged))) {
        return std::nullopt;
      }
      trick = trick.empty() ? subject->workedAhead(*warmUp, *timed) : trick;
      trick = trick.empty() ? subject->workedOn(*timed) : trick;
      if (trick.empty()) {
        return isFair(subject->keptThreads(context_.options.threads), judged) ? timed
                                                                              : std::nullopt;
      }
      if (++suspicions > kMostSuspicions) {
        (void)isFair(trick, judged);
        return std::nullopt;
      }
    }
  };
  const auto look = HONE_TRY(take(1));
  if (!look) {
    return {};
  }
  const bool fair = context_.options.threads > 1 && subject->isSuspect();
  const bool byCpuTime = context_.options.threads == 1 && runnable.onCpu();
  const engine::Pace pace = engine::paceOf(rankNs(look->wallNs, look->cpuNs, byCpuTime));
  std::int64_t counted = 0;
  if (context_.options.threads == 1) {
    subject->countEvents();
  }
  while (counted < pace.repetitions) {
    // Only the last call of a request is compared. Requests of any length that do not count are
    // strewn in, so that no kernel can know which call that is.
    const bool counts = pace.iterations == 1 || context_.random.below(2) == 0;
    const std::int64_t calls = counts ? pace.iterations
                                      : 1 + static_cast<std::int64_t>(context_.random.below(
                                                static_cast<std::size_t>(pace.iterations)));
    const auto timed = HONE_TRY(take(calls));
    if (!timed) {
      return {};
    }
    if (counts) {
      const auto each = static_cast<double>(calls);
      const double wallNs = fair ? fairWallNs(*timed, context_.options.threads) : timed->wallNs;
      judged.samples.push_back(
          {stage, round, position, counted++, wallNs / each, timed->cpuNs / each, calls});
      noteCounts(timed->counts, each, judged);
    }
  }
  if (!isFair(subject->worker().busyWhileIdle(), judged)) {
    return {};
  }
  // What a GPU can do at best is not known here.
  return runnable.onCpu() ? checkSpeed(judged) : Result<void>();
}

Result<void> KernelTimer::checkSpeed(Judged& judged) {
  std::vector<double> times;
  for (const model::Sample& sample : judged.samples) {
    times.push_back(rankNs(sample.wallNs, sample.cpuNs, context_.options.threads == 1));
  }
  const double callNs = stats::median(times);
  for (int i = 0; i < kLooks; ++i) {
    const double leastNs = HONE_TRY(context_.peak.leastNs(
                               context_.task.shape, context_.options.threads, context_.builder)) /
                           kGenerous;
    if (callNs >= leastNs) {
      return {};
    }
    HONE_CHECK(context_.peak.measure(context_.builder));
  }
  judged.outcome = Outcome::invalid;
  judged.message = fmt::format(
      "faster than this machine can be: a call takes {}, and {:.0f} GFLOP/s and {:.0f} GB/s are "
      "the most that a core does; it does not do what the reference says, or {:.4g} flops are too "
      "many (a line '{} hone: flops N' in {} says how many there are)",
      humanTime(callNs), context_.peak.core().gflops, context_.peak.core().gbps,
      context_.task.shape.flops, context_.task.reference.extension() == ".py" ? "#" : "//",
      context_.task.reference.filename().string());
  judged.samples.clear();
  return {};
}

}  // namespace hone::kernel
