#include "kernel/turns/slow_list.h"

#include <algorithm>

#include "engine/machine_lock.h"
#include "engine/rounds/round_policies.h"
#include "stats/summary.h"

namespace hone::kernel {
namespace {

constexpr std::int64_t kRounds = 5;

}  // namespace

Result<std::optional<PyTorchComparison>> compareWithPyTorch(KernelTrials& trials,
                                                            engine::Rounds& rounds,
                                                            Progress& progress) {
  if (!trials.kernelJudge().hasPyTorch()) {
    return std::nullopt;
  }
  const Entry& original = trials.entries().front();
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  const std::vector<engine::Participant> both = {
      trials.participant(original.trial, original.source()),
      trials.participant(HONE_TRY(trials.findOrAddCompanion("PyTorch")), std::nullopt)};
  engine::PrecisionOptions options;
  options.minRounds = options.maxRounds = kRounds;
  options.seed = trials.scope().seed;
  engine::PrecisionPolicy policy(both.size(), options);
  engine::RoundLoopOptions loop;
  loop.onRound = [&] { progress.step(); };
  progress.stage("measuring against PyTorch", kRounds);
  HONE_CHECK(engine::runRounds(rounds, both, policy, loop));
  const auto times = policy.take();
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(times[0].size(), times[1].size()); ++i) {
    if (times[0][i] > 0) {
      ratios.push_back(times[1][i] / times[0][i]);
    }
  }
  if (ratios.empty()) {
    return std::nullopt;
  }
  return PyTorchComparison{stats::median(ratios), stats::median(times[0]), stats::median(times[1])};
}

SlowThreshold SlowThreshold::from(std::optional<double> given) {
  return given ? SlowThreshold{*given, *given} : SlowThreshold{};
}

std::string_view comparedWith(const ListedKernel& listed) {
  return listed.speedup ? "PyTorch" : listed.rooflineShare ? "roofline" : "";
}

bool isSlow(const ListedKernel& listed, const SlowThreshold& threshold) {
  if (!listed.problem.empty()) {
    return false;
  }
  if (listed.speedup) {
    return *listed.speedup < threshold.speedup;
  }
  return listed.rooflineShare ? *listed.rooflineShare < threshold.share
                              : listed.category == nameOf(Category::critical) ||
                                    listed.category == nameOf(Category::slow);
}

Result<ListedKernel> listKernel(KernelTrials& trials, const Source& source, const Measured& machine,
                                Progress& progress) {
  ListedKernel listed;
  const RunScope& scope = trials.scope();
  HONE_CHECK(trials.restore());
  const Entry* entry = HONE_TRY(trials.judge({source, "the original", {}, ""}, 0, 0));
  const JudgeResult judged = entry->tried.judged;
  if (!judged.ok()) {
    listed.problem = fmt::format("{}: {}", model::nameOf(judged.outcome), judged.message);
    return listed;
  }
  if (entry->screenNs <= 0) {
    const Analysis analysis = analyze(trials.kernelJudge().task(), source, judged, machine);
    listed.problem = "not timed: GPU kernel, no GPU found";
    if (!analysis.compiled.empty()) {
      listed.problem += fmt::format(" ({})", analysis.compiled);
    }
    return listed;
  }
  engine::Rounds rounds(scope.rankBy, trials.log(), model::Stage::race);
  Measured measured = machine;
  measured.kernelNs = entry->screenNs;
  if (const auto comparison = HONE_TRY(compareWithPyTorch(trials, rounds, progress))) {
    listed.speedup = comparison->speedup;
    listed.pytorchNs = comparison->pytorchNs;
    measured.kernelNs = comparison->kernelNs;
    measured.pytorchNs = comparison->pytorchNs;
  }
  const Analysis analysis = analyze(trials.kernelJudge().task(), source, judged, measured);
  listed.timeNs = measured.kernelNs;
  if (analysis.share > 0) {
    listed.rooflineShare = analysis.share;
  }
  listed.category = nameOf(analysis.category);
  return listed;
}

}  // namespace hone::kernel
