#include "kernel/turns/slow_list.h"

#include "engine/lane.h"
#include "engine/rounds.h"
#include "stats/summary.h"

namespace hone::kernel {
namespace {

constexpr std::int64_t kRounds = 5;

}  // namespace

Result<std::optional<BesidePyTorch>> besidePyTorch(Docket& docket, engine::Rounds& rounds,
                                                   Progress& progress) {
  if (!docket.referee().hasPyTorch()) {
    return std::nullopt;
  }
  const Entry& original = docket.entries().front();
  const FileLock lane = HONE_TRY(engine::enterToMeasure());
  const std::vector<engine::Participant> both = {
      docket.participant(original.trial, original.source()),
      docket.participant(HONE_TRY(docket.companion("PyTorch")), std::nullopt)};
  std::vector<double> ratios;
  std::vector<double> kernelNs;
  std::vector<double> pytorchNs;
  progress.stage("beside PyTorch", kRounds);
  for (std::int64_t round = 0; round < kRounds; ++round) {
    const auto taken = HONE_TRY(
        rounds.take(round, both, engine::shuffled(both.size(), docket.scope().seed, round)));
    if (taken[0] && taken[1] && *taken[0] > 0) {
      ratios.push_back(*taken[1] / *taken[0]);
      kernelNs.push_back(*taken[0]);
      pytorchNs.push_back(*taken[1]);
    }
    progress.step();
  }
  if (ratios.empty()) {
    return std::nullopt;
  }
  return BesidePyTorch{stats::median(ratios), stats::median(kernelNs), stats::median(pytorchNs)};
}

bool isSlow(const ListedKernel& listed, double threshold) {
  if (!listed.problem.empty()) {
    return false;
  }
  return listed.speedup ? *listed.speedup < threshold
                        : listed.category == nameOf(Category::critical) ||
                              listed.category == nameOf(Category::slow);
}

Result<ListedKernel> listKernel(Docket& docket, const Source& source, const Measured& machine,
                                Progress& progress) {
  ListedKernel listed;
  const RunScope& scope = docket.scope();
  HONE_CHECK(docket.restore());
  const Entry* entry = HONE_TRY(docket.judge({source, "the original", {}, ""}, 0, 0));
  const Judged judged = entry->tried.judged;
  if (!judged.ok()) {
    listed.problem = fmt::format("{}: {}", model::nameOf(judged.outcome), judged.message);
    return listed;
  }
  if (entry->screenNs <= 0) {
    const Analysis analysis = analyse(docket.referee().task(), source, judged, machine);
    listed.problem = "not timed: a kernel for a GPU, and there is none here";
    if (!analysis.compiled.empty()) {
      listed.problem += fmt::format(" ({})", analysis.compiled);
    }
    return listed;
  }
  engine::Rounds rounds(scope.rankBy, scope.store, model::Stage::race);
  rounds.restore(HONE_TRY(scope.store.samples(scope.run)));
  Measured measured = machine;
  measured.kernelNs = entry->screenNs;
  if (const auto beside = HONE_TRY(besidePyTorch(docket, rounds, progress))) {
    listed.speedup = beside->speedup;
    listed.pytorchNs = beside->pytorchNs;
    measured.kernelNs = beside->kernelNs;
    measured.pytorchNs = beside->pytorchNs;
  }
  const Analysis analysis = analyse(docket.referee().task(), source, judged, measured);
  listed.timeNs = measured.kernelNs;
  if (analysis.share > 0) {
    listed.rooflineShare = analysis.share;
  }
  listed.category = nameOf(analysis.category);
  return listed;
}

}  // namespace hone::kernel
