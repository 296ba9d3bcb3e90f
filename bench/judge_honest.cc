// Measures how often the kernel judge rejects an honest kernel, and the cost of a trial. Judges
// every honest kernel of the tests repeatedly, each time with different inputs.
#include <fmt/format.h>

#include <map>

#include "base/clock.h"
#include "base/file.h"
#include "kernel/judge/judge.h"
#include "kernel/source/test_kernels.h"
#include "report/render/table.h"
#include "stats/summary.h"
#include "support.h"

namespace hone::bench {
namespace {

constexpr std::int64_t kTrials = 200;
constexpr std::int64_t kQuickTrials = 20;

struct Tally {
  std::int64_t trials = 0;
  std::int64_t alarms = 0;
  double nearest = 0;  ///< largest error, as a fraction of its bound
  std::vector<double> milliseconds;
  std::string message;  ///< of the last false alarm
};

Result<void> judgeOnce(kernel::Judge& judge, const kernel::Source& source, std::uint64_t salt,
                       Tally& tally) {
  const std::int64_t beginNs = nowNs();
  const kernel::JudgeResult judged = HONE_TRY(judge.judge(source, salt));
  tally.milliseconds.push_back(static_cast<double>(nowNs() - beginNs) / 1e6);
  ++tally.trials;
  if (!judged.ok()) {
    ++tally.alarms;
    tally.message = judged.message;
    return {};
  }
  const double bound = judged.facts.errorBound.value_or(0);
  const double worst = judged.facts.worstError.value_or(0);
  tally.nearest = std::max(tally.nearest, bound > 0 ? worst / bound : 0);
  return {};
}

Result<void> measure(const Options& options) {
  const std::int64_t trials = options.repeats > 0 ? options.repeats
                              : options.quick     ? kQuickTrials
                                                  : kTrials;
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-bench"));
  const std::vector<kernel::TestKernel> kernels = kernel::honestKernels();
  report::Table table({{"kernel", report::Align::left},
                       {"trials", report::Align::right},
                       {"false alarms", report::Align::right},
                       {"error / bound", report::Align::right},
                       {"ms a trial", report::Align::right}});
  std::int64_t alarms = 0;
  const auto count = static_cast<std::int64_t>(kernels.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const kernel::TestKernel& kernel = kernels[static_cast<std::size_t>(i)];
    const auto file = folder.path() / fmt::format("{}.reference.cc", kernel.name);
    HONE_CHECK(writeFile(file, kernel.reference));
    kernel::JudgeOptions judging;
    judging.folder = folder.path() / kernel.name;
    auto judge = HONE_TRY(kernel::Judge::open(HONE_TRY(kernel::readTask(file, judging)), judging));
    Tally tally;
    // Trials are distributed over the kernels, so that their total is as requested.
    const std::int64_t own = trials / count + (i < trials % count ? 1 : 0);
    for (std::int64_t salt = 0; salt < own; ++salt) {
      HONE_CHECK(judgeOnce(judge, kernel.source(), static_cast<std::uint64_t>(salt), tally));
    }
    alarms += tally.alarms;
    table.add({kernel.name, std::to_string(tally.trials), std::to_string(tally.alarms),
               fmt::format("{:.2f}", tally.nearest),
               fmt::format("{:.0f}", stats::median(tally.milliseconds))});
    if (!tally.message.empty()) {
      fmt::print("{}: {}\n", kernel.name, tally.message);
    }
  }
  fmt::print("{}", table.text());
  fmt::print("{} false alarms in {} honest trials; aim 0: {}\n", alarms, trials,
             alarms == 0 ? "met" : "missed");
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("judge_honest", argc, argv, hone::bench::measure);
}
