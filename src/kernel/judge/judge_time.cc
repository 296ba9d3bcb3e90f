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
/// A process takes five samples after a look.
constexpr double kMostCases = 8;
constexpr double kFewestCases = 3;
constexpr double kCaseMemory = 1024.0 * 1024 * 1024;
/// The inputs, and what must come of them with its scales in f64.
constexpr double kCopiesOfCase = 4;

/// What copying the outputs may take at most; nothing else is done then.
double mostFlushNs(const Shape& shape) {
  constexpr double kAtOnceNs = 1e6;
  constexpr double kNsPerByte = 1;
  double bytes = 0;
  for (const Argument& output : shape.outputs) {
    bytes += static_cast<double>(output.type.bytes());
  }
  return kAtOnceNs + kNsPerByte * bytes;
}

/// The time that counts: with one thread of the CPU what it computed, else what one waits for it.
double rankNs(double wallNs, double cpuNs, bool byCpuTime) {
  return byCpuTime ? std::min(wallNs, cpuNs) : wallNs;
}

}  // namespace

Result<Case*> Judge::State::timingCase(std::size_t turn) {
  // One for each request of a process, as far as memory is no matter: a kernel that remembers
  // whole calls meets none of them again.
  const double bytes = kCopiesOfCase * task.shape.bytes();
  const auto count = static_cast<std::size_t>(
      std::clamp(kCaseMemory / std::max(bytes, 1.0), kFewestCases, kMostCases));
  const std::size_t wanted = turn % count;
  while (timingCases.size() <= wanted) {
    const std::uint64_t seed = seedFrom(options.seed, fmt::format("timing {}", timingCases.size()));
    timingCases.push_back(HONE_TRY(makeCase(0, ValueKind::unit, seed)));
  }
  return &timingCases[wanted];
}

Result<void> Judge::State::time(const Runnable& runnable, model::Stage stage, std::int64_t round,
                                std::int64_t position, Judged& judged) {
  CallTensors& used = tensors[0][0];
  const std::array<const CallTensors*, 1> all = {&used};
  auto subject = HONE_TRY(Subject::start(runnable, all, options.limits.wall, judged));
  if (!subject) {
    return {};
  }
  // PyTorch is no suspect; what a GPU's driver computes is not the kernel's.
  const bool suspect = runnable.onCpu() && runnable.load.value("role", "") == "kernel";
  const auto take = [&](std::size_t turn, std::int64_t calls) -> Result<std::optional<TimedReply>> {
    Case* contents = HONE_TRY(timingCase(turn));
    used.fill(contents->inputs, random);
    const auto limit = patience(0) * 2 + milliseconds(1000);
    auto timed = HONE_TRY(subject->time(used, 1, calls, random.next() >> 11U, limit, judged));
    if (timed && suspect && timed->flushCpuNs > mostFlushNs(task.shape)) {
      judged.outcome = Outcome::invalid;
      judged.message = fmt::format("it computes after its answer: {} while its outputs were copied",
                                   humanTime(timed->flushCpuNs));
      return std::nullopt;
    }
    if (timed && !HONE_TRY(check(*subject, used, *contents, judged))) {
      return std::nullopt;
    }
    return timed;
  };
  const auto look = HONE_TRY(take(0, 1));
  if (!look) {
    return {};
  }
  const bool fair = options.threads > 1 && suspect;
  const bool byCpuTime = options.threads == 1 && runnable.onCpu();
  const trial::Pace pace = trial::paceOf(rankNs(look->wallNs, look->cpuNs, byCpuTime));
  std::int64_t counted = 0;
  for (std::size_t turn = 1; counted < pace.repetitions; ++turn) {
    // Only the last call of a request is compared. Requests of any length that do not count are
    // strewn in, so that no kernel can know which call that is.
    const bool counts = pace.iterations == 1 || random.below(2) == 0;
    const std::int64_t calls = counts ? pace.iterations
                                      : 1 + static_cast<std::int64_t>(random.below(
                                                static_cast<std::size_t>(pace.iterations)));
    const auto timed = HONE_TRY(take(turn, calls));
    if (!timed) {
      return {};
    }
    if (counts) {
      const auto each = static_cast<double>(calls);
      const double wallNs = fair ? fairWallNs(*timed, options.threads) : timed->wallNs;
      judged.samples.push_back(
          {stage, round, position, counted++, wallNs / each, timed->cpuNs / each, calls});
    }
  }
  if (const std::string busy = subject->worker().busyWhileIdle(); !busy.empty()) {
    judged.outcome = Outcome::invalid;
    judged.message = busy;
    return {};
  }
  // What a GPU can do at best is not known here.
  return runnable.onCpu() ? checkSpeed(judged) : Result<void>();
}

Result<void> Judge::State::checkSpeed(Judged& judged) {
  std::vector<double> times;
  for (const model::Sample& sample : judged.samples) {
    times.push_back(rankNs(sample.wallNs, sample.cpuNs, options.threads == 1));
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
      "the most that a core does; it does not do what the reference says, or {:.4g} flops are too "
      "many (a line '{} hone: flops N' in {} says how many there are)",
      humanTime(callNs), peak.gflops(), peak.gbps(), task.shape.flops,
      task.reference.extension() == ".py" ? "#" : "//", task.reference.filename().string());
  judged.samples.clear();
  return {};
}

}  // namespace hone::kernel
