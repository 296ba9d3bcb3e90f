#include "kernel/judge/timing/kernel_timer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "base/clock.h"
#include "base/random.h"
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
/// Enough for all samples of a process: a probe and five samples.
constexpr double kMaxCases = 8;
constexpr double kMinCases = 3;
constexpr double kCaseMemory = 1024.0 * 1024 * 1024;
/// Inputs, expected outputs and their scales, in f64.
constexpr double kCopiesPerCase = 4;
/// Time budget of a process for inputs that no kernel has seen.
constexpr std::int64_t kRenewalNs = 40'000'000;
/// Freezing and resuming takes longer than a very short call.
constexpr std::int64_t kMaxCallsPerSample = 200;
constexpr int kTimerWarmUpCalls = 2;

/// Share of expected outputs that are NaN or infinite. A kernel may leave out the work for them.
class UselessShare {
 public:
  void add(const Expected& expected) {
    for (const std::vector<double>& output : expected) {
      count_ += std::ssize(output);
      nan_ += std::ranges::count_if(output, [](double value) { return std::isnan(value); });
      infinite_ += std::ranges::count_if(output, [](double value) { return std::isinf(value); });
    }
  }
  /// Rows with dominant elements, one in eight, may overflow.
  [[nodiscard]] bool isSmall() const { return share(nan_) <= 1.0 / 32 && weight() <= 1.0 / 4; }
  [[nodiscard]] double weight() const { return share(nan_ + infinite_); }

 private:
  [[nodiscard]] double share(std::int64_t some) const {
    return count_ == 0 ? 0 : static_cast<double>(some) / static_cast<double>(count_);
  }

  std::int64_t count_ = 0;
  std::int64_t nan_ = 0;
  std::int64_t infinite_ = 0;
};

/// Draws a key that gives values of this kind, if the inputs have such values.
Result<InputKey> drawKey(const TimedInputs& inputs, ValueKind kind) {
  constexpr int kMaxDraws = 64;
  InputKey key = HONE_TRY(InputKey::draw());
  for (int i = 0; i < kMaxDraws && inputs.kindFor(key) != kind; ++i) {
    key = HONE_TRY(InputKey::draw());
  }
  return key;
}

/// Returns the time that ranks a sample: CPU time for one CPU thread, wall time otherwise.
double rankNs(double wallNs, double cpuNs, bool byCpuTime) {
  return byCpuTime ? std::min(wallNs, cpuNs) : wallNs;
}

/// Records the event counts of a sample; the last sample wins.
void noteCounts(const std::vector<double>& counts, double calls, JudgeResult& judged) {
  if (counts.size() == 3 && counts[1] > 0) {
    judged.facts.counters = EventCounts{.instructions = counts[0] / calls,
                                        .cycles = counts[1] / calls,
                                        .cacheMisses = counts[2] / calls};
  }
}

}  // namespace

Result<void> KernelTimer::prepareInputs() {
  if (inputs_) {
    return {};
  }
  const Shape& shape = context_.task.shape;
  const auto natural = HONE_TRY(context_.reference.naturalInputs(0, context_.random.next()));
  double least = std::numeric_limits<double>::infinity();
  for (const TimedRange& range : kTimedRanges) {
    TimedInputs inputs(shape, natural, range);
    UselessShare useless;
    for (const ValueKind kind : {ValueKind::unit, ValueKind::outliers}) {
      const InputKey key = HONE_TRY(drawKey(inputs, kind));
      useless.add(HONE_TRY(context_.reference.compute(0, inputs.make(key))));
    }
    if (useless.weight() < least) {
      least = useless.weight();
      inputs_.emplace(std::move(inputs));
    }
    if (useless.isSmall()) {
      break;
    }
  }
  return {};
}

Result<KernelTimer::TimingCase*> KernelTimer::nextTimingCase() {
  const double bytes = kCopiesPerCase * context_.task.shape.bytes();
  const auto limit = static_cast<std::size_t>(
      std::clamp(kCaseMemory / std::max(bytes, 1.0), kMinCases, kMaxCases));
  if (usedCases_ == timingCases_.size()) {
    const std::int64_t beginNs = nowNs();
    TimingCase made;
    made.keys = {HONE_TRY(InputKey::draw())};
    made.contents.kind = inputs_->kindFor(made.keys.front());
    made.contents.seed = context_.random.next();
    made.contents.inputs = inputs_->make(made.keys.front());
    HONE_CHECK(verifier_.complete(made.contents));
    timingCaseNs_ = nowNs() - beginNs;
    if (timingCases_.size() == limit) {
      // Never show a process the same inputs twice, even if that takes another reference run.
      timingCases_.erase(timingCases_.begin());
      --usedCases_;
    }
    timingCases_.push_back(std::move(made));
  }
  return &timingCases_[usedCases_++];
}

void KernelTimer::renewTimingCases() {
  usedCases_ = 0;
  renewalNs_ += kRenewalNs;
  std::ptrdiff_t old = 0;
  for (; old < std::ssize(timingCases_) && renewalNs_ >= timingCaseNs_; ++old) {
    renewalNs_ -= timingCaseNs_;
  }
  renewalNs_ = std::min(renewalNs_, timingCaseNs_);
  timingCases_.erase(timingCases_.begin(), timingCases_.begin() + old);
}

Result<std::vector<std::size_t>> KernelTimer::drawOrder(TimingCase& known, std::int64_t calls) {
  std::vector<std::size_t> order(static_cast<std::size_t>(calls));
  std::iota(order.begin(), order.end(), std::size_t{0});
  while (known.keys.size() < order.size()) {
    known.keys.push_back(HONE_TRY(InputKey::draw()));
  }
  // Not from the generator of the marks, which the kernel sees.
  Random random(HONE_TRY(InputKey::draw()).bits[0]);
  random.shuffle(std::span(order));
  return order;
}

Result<std::optional<CallTime>> KernelTimer::takeSample(RunningKernel& running, std::int64_t calls,
                                                        JudgeResult& judged) {
  CallTensors& used = context_.tensors[0][0];
  TimingCase* known = HONE_TRY(nextTimingCase());
  const std::vector<std::size_t> order = HONE_TRY(drawOrder(*known, calls));
  used.markOutputs(context_.random);
  std::vector<verify::Tensor> last = used.outputs();
  std::vector<verify::Tensor> kept = last;
  CallTime sum;
  // The work between two calls is the same for all of them: a kernel can measure its duration.
  for (const std::size_t at : order) {
    for (std::size_t input = 0; input < used.inputCount(); ++input) {
      inputs_->write(known->keys[at], input, used.inputData(input));
    }
    used.markOutputsAgain();
    const auto timed = HONE_TRY(running.time(used, context_.callTimeout(0), judged));
    if (!timed || !checkFair(running.detectLeftThreads(context_.options.threads), judged)) {
      return std::nullopt;
    }
    sum.wallNs += timed->wallNs;
    sum.cpuNs += timed->cpuNs;
    used.copyOutputs(at == 0 ? kept : last);
  }
  if (!HONE_TRY(verifier_.check(used, kept, known->contents, judged))) {
    return std::nullopt;
  }
  const auto count = static_cast<double>(calls);
  return CallTime{.wallNs = sum.wallNs / count, .cpuNs = sum.cpuNs / count};
}

Result<bool> KernelTimer::warmUp(RunningKernel& running, JudgeResult& judged) {
  CallTensors& used = context_.tensors[0][0];
  used.writeGuards(context_.random);
  used.markOutputs(context_.random);
  for (int call = 0; call < kTimerWarmUpCalls; ++call) {
    const InputKey key = HONE_TRY(InputKey::draw());
    for (std::size_t input = 0; input < used.inputCount(); ++input) {
      inputs_->write(key, input, used.inputData(input));
    }
    if (!HONE_TRY(running.time(used, context_.callTimeout(0), judged))) {
      return false;
    }
  }
  return true;
}

Result<bool> KernelTimer::watch(RunningKernel& running, JudgeResult& judged) {
  if (HONE_TRY(running.watch(context_.tensors[0][0], context_.callTimeout(0), judged))) {
    return true;
  }
  judged.samples.clear();
  return false;
}

Result<Overhead> KernelTimer::measureOverhead(const Runnable& runnable) {
  return runnable.isCpp() ? context_.overhead.cpp(context_.builder)
                          : context_.overhead.python(context_.tensors[0][0]);
}

Result<void> KernelTimer::time(const Runnable& runnable, model::Stage stage, std::int64_t round,
                               std::int64_t position, JudgeResult& judged) {
  HONE_CHECK(prepareInputs());
  const Overhead overhead = HONE_TRY(measureOverhead(runnable));
  const std::array<const CallTensors*, 1> all = {context_.tensors[0].data()};
  auto running =
      HONE_TRY(RunningKernel::start(runnable, all, context_.options.limits.wall, judged));
  if (!running) {
    return {};
  }
  const bool byCpuTime = context_.options.threads == 1 && runnable.onCpu();
  std::optional<PinnedThread> pinned;
  if (byCpuTime) {
    pinned.emplace();
    running->pinTo(pinned->cpu());
  }
  renewTimingCases();
  if (!HONE_TRY(warmUp(*running, judged))) {
    return {};
  }
  const auto probe = HONE_TRY(takeSample(*running, 1, judged));
  if (!probe) {
    return {};
  }
  const CallTime once = overhead.subtractFrom(*probe);
  engine::Pace pace = engine::choosePace(rankNs(once.wallNs, once.cpuNs, byCpuTime));
  pace.iterations = std::min(pace.iterations, kMaxCallsPerSample);
  if (context_.options.threads == 1) {
    running->countEvents();
  }
  const bool fair = context_.options.threads > 1 && running->isUntrusted();
  const auto watched = static_cast<std::int64_t>(HONE_TRY(InputKey::draw()).bits[0] %
                                                 static_cast<std::uint64_t>(pace.repetitions));
  for (std::int64_t sample = 0; sample < pace.repetitions; ++sample) {
    if (sample == watched && !HONE_TRY(watch(*running, judged))) {
      return {};
    }
    running->startCounting();
    const auto timed = HONE_TRY(takeSample(*running, pace.iterations, judged));
    noteCounts(running->stopCounting(), static_cast<double>(pace.iterations), judged);
    if (!timed) {
      return {};
    }
    const CallTime net = overhead.subtractFrom(*timed);
    const double wallNs = fair ? fairWallNs(net, context_.options.threads) : net.wallNs;
    judged.samples.push_back({stage, round, position, sample, wallNs, net.cpuNs, pace.iterations});
    if (net.cpuNs <= overhead.noiseNs) {
      judged.facts.belowNoise = true;
    }
  }
  judged.facts.overheadNs = overhead.median.cpuNs;
  if (!HONE_TRY(watch(*running, judged))) {
    return {};
  }
  pinned.reset();
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
