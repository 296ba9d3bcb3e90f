#include "kernel/turns/trials/kernel_trials.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/hash.h"
#include "base/text/text.h"
#include "engine/rounds/sampler.h"
#include "engine/rounds/screening.h"
#include "kernel/turns/trials/trial_record.h"

namespace hone::kernel {
namespace {

using model::Outcome;

engine::Measurement toMeasurement(JudgeResult judged) {
  return {judged.outcome, std::move(judged.message), std::move(judged.diagnostics),
          std::move(judged.samples)};
}

}  // namespace

std::string KernelTrials::scopedKey(const std::string& key) const {
  return scope_.kernel.empty() ? key : fmt::format("{}: {}", scope_.kernel, key);
}

Result<void> KernelTrials::restore() {
  HONE_CHECK(log_.restore());
  const std::string prefix = scopedKey("");
  for (const store::Trial& trial : log_.trials()) {
    const bool ours = scope_.kernel.empty() || trial.key.starts_with(prefix);
    if (ours && trial.details.kernel) {
      static_cast<void>(add(judgedProposalFrom(trial, screeningSamples(trial.id)), trial.id));
    }
  }
  return {};
}

std::vector<model::Sample> KernelTrials::screeningSamples(std::int64_t trial) const {
  std::vector<model::Sample> screening;
  std::ranges::copy_if(log_.samples(trial), std::back_inserter(screening),
                       [](const model::Sample& one) { return one.stage == model::Stage::screen; });
  return screening;
}

Entry& KernelTrials::add(JudgedProposal tried, std::int64_t trial) {
  Entry entry{std::move(tried), trial, 0};
  entry.screenNs = engine::screenTime(entry.tried.judged.samples, scope_.rankBy).value_or(0);
  const double originalNs = entries_.empty() ? entry.screenNs : entries_.front().screenNs;
  if (entry.screenNs > 0 && originalNs > 0) {
    entry.tried.speedup = originalNs / entry.screenNs;
  }
  return entries_.emplace_back(std::move(entry));
}

Entry* KernelTrials::find(const std::string& sourceKey) {
  for (Entry& entry : entries_) {
    if (entry.source().key() == sourceKey) {
      return &entry;
    }
  }
  return nullptr;
}

Result<Entry*> KernelTrials::judge(const Proposal& proposal, std::size_t turn, double bestNs) {
  const std::string key = proposal.source.key();
  if (Entry* before = find(key); before != nullptr) {
    return before;
  }
  JudgedProposal tried;
  tried.proposal = proposal;
  tried.turn = turn;
  const std::int64_t startNs = now_();
  tried.judged = HONE_TRY(kernelJudge_.judge(proposal.source, seedFrom(scope_.seed, key)));
  longestJudgement_ = std::max(longestJudgement_, std::chrono::nanoseconds(now_() - startNs));
  const auto screenNs = engine::screenTime(tried.judged.samples, scope_.rankBy);
  if (tried.judged.ok() && screenNs && bestNs > 0 && engine::isTooSlow(*screenNs, bestNs)) {
    tried.judged.outcome = Outcome::tooSlow;
    tried.judged.message = fmt::format("{:.2f}x the time of the best kernel ({} instead of {})",
                                       *screenNs / bestNs, humanTime(*screenNs), humanTime(bestNs));
  }
  store::Trial trial = toTrial(tried, scopedKey(key));
  HONE_CHECK(log_.add(trial, tried.judged.samples));
  return &add(std::move(tried), trial.id);
}

Result<std::int64_t> KernelTrials::findOrAddCompanion(const std::string& name) {
  const std::string key = scopedKey(name);
  if (const store::Trial* before = log_.find(key)) {
    return before->id;
  }
  store::Trial trial;
  trial.key = key;
  trial.problem = kernelJudge_.task().name;
  trial.config.name = name;
  HONE_CHECK(log_.add(trial, {}));
  return trial.id;
}

engine::Participant KernelTrials::participant(std::int64_t trial,
                                              const std::optional<Source>& source) {
  return {trial, [this, source](const engine::TimeSlot& slot) -> Result<engine::Measurement> {
            const Implementation implementation{source ? &*source : nullptr};
            const std::int64_t startNs = now_();
            JudgeResult judged = HONE_TRY(
                kernelJudge_.measure(implementation, slot.stage, slot.round, slot.position));
            longestMeasurement_ =
                std::max(longestMeasurement_, std::chrono::nanoseconds(now_() - startNs));
            return toMeasurement(std::move(judged));
          }};
}

std::int64_t KernelTrials::recordedRounds(std::int64_t trial, model::Stage stage,
                                          std::int64_t first) const {
  const auto times = engine::roundTimes(log_, trial, stage, scope_.rankBy);
  std::int64_t next = first;
  while (times.contains(next)) {
    ++next;
  }
  return next - first;
}

void KernelTrials::refresh() {
  for (Entry& entry : entries_) {
    if (const store::Trial* trial = log_.find(entry.trial)) {
      entry.tried.judged.outcome = trial->outcome;
      entry.tried.judged.message = trial->message;
    }
  }
}

std::string KernelTrials::describeFailure(std::int64_t trial) const {
  const store::Trial* one = log_.find(trial);
  if (one == nullptr || one->outcome == Outcome::ok) {
    return {};
  }
  return one->message.empty() ? std::string(model::nameOf(one->outcome)) : one->message;
}

}  // namespace hone::kernel
