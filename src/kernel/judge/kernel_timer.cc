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

/// Kernels faster than the measured peak times this factor are rejected.
constexpr double kPeakTolerance = 1.5;
constexpr int kMaxPeakChecks = 3;
/// Enough for all requests of a process: a probe, five samples, and some that are not counted.
constexpr double kMaxCases = 8;
constexpr double kMinCases = 3;
constexpr double kCaseMemory = 1024.0 * 1024 * 1024;
/// Inputs, expected outputs and their scales, in f64.
constexpr double kCopiesPerCase = 4;
/// Measurements per process that may be repeated because they look like a cheat. CPU time includes
/// pauses of a virtual machine, so a single one proves nothing.
constexpr int kMaxSuspicions = 2;
/// Time budget of a process for inputs that no kernel has seen.
constexpr std::int64_t kRenewalNs = 40'000'000;

/// Returns the time that ranks a sample: CPU time for one CPU thread, wall time otherwise.
double rankNs(double wallNs, double cpuNs, bool byCpuTime) {
  return byCpuTime ? std::min(wallNs, cpuNs) : wallNs;
}

/// Records the event counts of a sample; the last sample wins.
void noteCounts(const std::vector<double>& counts, double calls, JudgeResult& judged) {
  if (counts.size() == 3 && counts[1] > 0) {
    judged.facts["counters"] = {{"instructions", counts[0] / calls},
                                {"cycles", counts[1] / calls},
                                {"cache_misses", counts[2] / calls}};
  }
}

}  // namespace

Result<Case*> KernelTimer::timingCase(std::size_t turn) {
  // One case per request of a process, as far as memory allows: a kernel that caches results of
  // whole calls never sees the same inputs again.
  const double bytes = kCopiesPerCase * context_.task.shape.bytes();
  const auto count = static_cast<std::size_t>(
      std::clamp(kCaseMemory / std::max(bytes, 1.0), kMinCases, kMaxCases));
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
  // A kernel may print its inputs, and the output may reach the author of the next kernel.
  renewalNs_ += kRenewalNs;
  std::ptrdiff_t old = 0;
  for (; old < std::ssize(timingCases_) && renewalNs_ >= timingCaseNs_; ++old) {
    renewalNs_ -= timingCaseNs_;
  }
  renewalNs_ = std::min(renewalNs_, timingCaseNs_);
  timingCases_.erase(timingCases_.begin(), timingCases_.begin() + old);
}

Result<void> KernelTimer::time(const Runnable& runnable, model::Stage stage, std::int64_t round,
                               std::int64_t position, JudgeResult& judged) {
  CallTensors& used = context_.tensors[0][0];
  const std::array<const CallTensors*, 1> all = {&used};
  auto running =
      HONE_TRY(RunningKernel::start(runnable, all, context_.options.limits.wall, judged));
  if (!running) {
    return {};
  }
  renewTimingCases();
  used.fill(HONE_TRY(timingCase(0))->inputs, context_.random);
  // Each request warms up on the inputs of the previous one, so that the timed inputs are new.
  int suspicions = 0;
  std::size_t turn = 0;
  const auto take = [&](std::int64_t calls) -> Result<std::optional<TimedReply>> {
    const auto limit = context_.callTimeout(0) * 2 + milliseconds(1000);
    const auto run = [&](std::int64_t count) {
      return running->time(used, 0, count, context_.random.next() >> 11U, limit, judged);
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
      std::string trick = running->detectDeferredWork(*timed, context_.task.shape);
      if (trick.empty() && !HONE_TRY(verifier_.check(*running, used, *contents, judged))) {
        return std::nullopt;
      }
      trick = trick.empty() ? running->detectWorkAhead(*warmUp, *timed) : trick;
      trick = trick.empty() ? running->detectWorkAfterReply(*timed) : trick;
      if (trick.empty()) {
        return checkFair(running->detectLeftThreads(context_.options.threads), judged)
                   ? timed
                   : std::nullopt;
      }
      if (++suspicions > kMaxSuspicions) {
        (void)checkFair(trick, judged);
        return std::nullopt;
      }
    }
  };
  const auto probe = HONE_TRY(take(1));
  if (!probe) {
    return {};
  }
  const bool fair = context_.options.threads > 1 && running->isUntrusted();
  const bool byCpuTime = context_.options.threads == 1 && runnable.onCpu();
  const engine::Pace pace = engine::choosePace(rankNs(probe->wallNs, probe->cpuNs, byCpuTime));
  std::int64_t counted = 0;
  if (context_.options.threads == 1) {
    running->countEvents();
  }
  while (counted < pace.repetitions) {
    // Only the last call of a request is verified. Uncounted requests of random length are mixed
    // in, so that a kernel cannot tell which call that is.
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
  if (!checkFair(running->worker().busyWhileIdle(), judged)) {
    return {};
  }
  // The peak of a GPU is unknown.
  return runnable.onCpu() ? checkSpeed(judged) : Result<void>();
}

Result<void> KernelTimer::checkSpeed(JudgeResult& judged) {
  std::vector<double> times;
  for (const model::Sample& sample : judged.samples) {
    times.push_back(rankNs(sample.wallNs, sample.cpuNs, context_.options.threads == 1));
  }
  const double callNs = stats::median(times);
  for (int i = 0; i < kMaxPeakChecks; ++i) {
    const double minNs = HONE_TRY(context_.peak.minCallNs(
                             context_.task.shape, context_.options.threads, context_.builder)) /
                         kPeakTolerance;
    if (callNs >= minNs) {
      return {};
    }
    HONE_CHECK(context_.peak.measure(context_.builder));
  }
  judged.outcome = Outcome::invalid;
  judged.message = fmt::format(
      "faster than the peak of this machine: a call takes {}, but a core reaches at most {:.0f} "
      "GFLOP/s and {:.0f} GB/s; the kernel skips work, or {:.4g} flops are too many (set them with "
      "a line '{} hone: flops N' in {})",
      humanTime(callNs), context_.peak.core().gflops, context_.peak.core().gbps,
      context_.task.shape.flops, context_.task.reference.extension() == ".py" ? "#" : "//",
      context_.task.reference.filename().string());
  judged.samples.clear();
  return {};
}

}  // namespace hone::kernel
