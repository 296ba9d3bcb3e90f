#include "kernel/turns/optimizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/clock.h"
#include "base/process/interrupt.h"
#include "base/text/text.h"
#include "engine/machine_lock.h"
#include "kernel/turns/slow_list.h"
#include "kernel/turns/turn_race.h"
#include "kernel/worker/sandbox/defences.h"

namespace hone::kernel {
namespace {

using model::Outcome;

/// No turn begins after this share of the time budget; the confirmation gets the remainder.
constexpr double kTurnsShare = 0.8;
/// Candidates of a turn that are raced.
constexpr std::size_t kMaxRacers = 3;
/// The word search returns this many times the requested examples; embeddings rank them.
constexpr std::size_t kPrefilterFactor = 5;
/// Stop after this many consecutive turns without a sufficient gain.
constexpr int kPlateauTurns = 2;

/// Returns the predicate of the error for an original that failed; the judge's message follows it.
std::string_view failurePredicate(Outcome outcome) {
  switch (outcome) {
    case Outcome::compileFailed:
    case Outcome::compileTimeout:
      return "does not compile";
    case Outcome::mismatch:
      return "computes wrong results";
    case Outcome::invalid:
      return "is rejected";
    default:
      return "does not run";
  }
}

}  // namespace

Optimizer::Optimizer(const OptimizerContext& context, const RunScope& scope,
                     const OptimizeOptions& options)
    : context_(context),
      options_(options),
      trials_(context.kernelJudge, scope),
      history_(scope),
      races_(scope.rankBy, trials_.log(), model::Stage::race),
      clock_(options_.budget),
      startNs_(nowNs()) {}

Result<Optimized> Optimizer::optimize(const Source& source) {
  HONE_CHECK(begin(source));
  HONE_CHECK(timePyTorch());
  HONE_CHECK(runTurns());
  Optimized result;
  result.confirmed = HONE_TRY(confirm());
  result.original = original().source();
  result.best = best_.entry->tried.proposal;
  result.stop = stop_;
  result.why = stopReason_;
  result.originalOverPyTorch = originalOverPyTorch_;
  result.candidates = trials_.candidates();
  for (const Entry& entry : trials_.entries()) {
    const Outcome outcome = entry.tried.judged.outcome;
    result.failed += outcome != Outcome::ok && outcome != Outcome::tooSlow ? 1 : 0;
    result.tried.push_back(entry.tried);
  }
  result.turns = history_.turns();
  result.conversation = context_.proposer.conversation();
  result.spent = context_.proposer.spent();
  result.cost = context_.proposer.cost();
  if (best_.entry == &original()) {
    result.note = "no candidate was faster than the original; nothing written";
  } else if (!result.confirmed) {
    result.note = fmt::format("{}; nothing written",
                              HONE_TRY(explainUnconfirmed(trials_, original(), *best_.entry)));
  } else if (!result.improved()) {
    result.note = "the speedup could not be confirmed; nothing written";
  }
  return result;
}

Result<void> Optimizer::begin(const Source& source) {
  HONE_CHECK(trials_.restore());
  HONE_CHECK(history_.restore());
  usedBeforeMs_ = history_.turns().empty() ? 0 : history_.turns().back().usedMs;
  context_.progress.best({});
  context_.progress.stage("the original", 1);
  Entry* entry = HONE_TRY(trials_.judge({source, "the original", {}, ""}, 0, 0));
  context_.progress.step();
  const JudgeResult& judged = entry->tried.judged;
  if (!judged.ok()) {
    return userError("{} {}: {}", source.name, failurePredicate(judged.outcome), judged.message);
  }
  best_ = {entry, 1, entry->screenNs};
  if (entry->screenNs <= 0) {
    const Analysis analysis = analyzeBest();
    for (const std::string& line : splitAt(trim(analysis.text()), '\n')) {
      context_.progress.say(line);
    }
    return userError(
        "{} is correct, but no GPU was found to time it; run hone on a machine with a GPU{}",
        source.name, analysis.compiled.empty() ? "" : fmt::format(" ({})", analysis.compiled));
  }
  if (const auto missing = judged.facts.find("missing_defences"); missing != judged.facts.end()) {
    context_.progress.say(formatWarning(missing->get<std::vector<std::string>>()));
  }
  bestScreenNs_ = entry->screenNs;
  return {};
}

Result<void> Optimizer::timePyTorch() {
  const auto comparison = HONE_TRY(compareWithPyTorch(trials_, races_, context_.progress));
  if (comparison) {
    originalOverPyTorch_ = comparison->speedup;
    pytorchNs_ = comparison->pytorchNs;
    best_.ns = comparison->kernelNs;
  } else if (context_.kernelJudge.hasPyTorch()) {
    context_.progress.say("cannot time the PyTorch reference; comparing with the original instead");
  }
  return {};
}

bool Optimizer::reachedTarget() const {
  return (originalOverPyTorch_ || options_.targetOverOriginal) &&
         best_.speedup * originalOverPyTorch_.value_or(1) >= options_.targetSpeedup;
}

bool Optimizer::isBudgetSpent() const {
  const auto& trials = options_.budget.trials;
  const auto left = clock_.leftUntil(kTurnsShare);
  return (left && left->count() <= usedBeforeMs_) ||
         (trials &&
          trials_.candidates() >= static_cast<std::size_t>(std::max<std::int64_t>(*trials, 0)));
}

Result<void> Optimizer::save(TurnRecord& record) {
  record.usedMs = usedBeforeMs_ + (nowNs() - startNs_) / 1'000'000;
  return history_.save(record);
}

void Optimizer::setStop(Stop stop, std::string reason) {
  stop_ = stop;
  stopReason_ = std::move(reason);
}

std::string Optimizer::stageName(std::size_t turn, std::string_view what) const {
  return fmt::format("turn {} of {}, {}", turn, options_.maxTurns, what);
}

Result<void> Optimizer::runTurns() {
  const std::string_view baseline = originalOverPyTorch_ ? "PyTorch" : "the original";
  int turnsWithoutGain = 0;
  std::string complaint;
  for (std::size_t turn = 1;; ++turn) {
    if (reachedTarget()) {
      setStop(Stop::target, fmt::format("target reached: {:.2f}x over {}, target {:.2f}x",
                                        best_.speedup * originalOverPyTorch_.value_or(1), baseline,
                                        options_.targetSpeedup));
      return {};
    }
    if (turnsWithoutGain >= kPlateauTurns) {
      setStop(Stop::plateau, fmt::format("{} turns in a row gained less than {:.0f} %{}",
                                         turnsWithoutGain, 100 * options_.minImprovement,
                                         complaint.empty() ? "" : fmt::format(" ({})", complaint)));
      return {};
    }
    if (turn > options_.maxTurns) {
      setStop(Stop::turns, fmt::format("all {} turns done", options_.maxTurns));
      return {};
    }
    if (isBudgetSpent()) {
      setStop(Stop::budget, "budget exhausted");
      return {};
    }
    TurnRecord record = HONE_TRY(beginTurn(turn));
    if (record.proposals.empty() && (record.complaint.empty() || !record.ended.empty())) {
      setStop(Stop::noIdeas, record.ended.empty() ? "no more proposals" : record.ended);
      return {};
    }
    if (!record.decided) {
      HONE_CHECK(judgeProposals(record));
      HONE_CHECK(decide(record));
    }
    applyTurn(record);
    complaint = record.complaint;
    turnsWithoutGain = record.improvement < options_.minImprovement ? turnsWithoutGain + 1 : 0;
  }
}

Analysis Optimizer::analyzeBest() const {
  Measured measured;
  measured.kernelNs = best_.ns;
  measured.pytorchNs = pytorchNs_;
  measured.peakGflops = options_.peakGflops;
  measured.peakGbps = options_.peakGbps;
  measured.threads = options_.threads;
  return analyze(context_.kernelJudge.task(), best_.entry->source(), best_.entry->tried.judged,
                 measured);
}

Result<std::vector<Example>> Optimizer::examplesFor(const Analysis& analysis) const {
  if (context_.examples == nullptr || options_.examples == 0) {
    return std::vector<Example>{};
  }
  std::string query;
  for (const Finding& finding : analysis.findings) {
    query += fmt::format("{} {} ", finding.technique, finding.what);
  }
  const std::string findingsText = query;
  query += best_.entry->source().text;
  const std::string_view language = nameOf(best_.entry->source().language);
  if (context_.embeddings == nullptr) {
    return context_.examples->search(query, language, options_.examples);
  }
  auto found =
      HONE_TRY(context_.examples->search(query, language, kPrefilterFactor * options_.examples));
  auto ranked = HONE_TRY(context_.embeddings->rank(findingsText, std::move(found)));
  ranked.resize(std::min(ranked.size(), options_.examples));
  return ranked;
}

Result<TurnRecord> Optimizer::beginTurn(std::size_t turn) {
  if (const TurnRecord* before = history_.find(turn); before != nullptr) {
    if (history_.find(turn + 1) == nullptr) {
      context_.proposer.restoreMemory(before->memory);
    }
    return *before;
  }
  context_.progress.stage(stageName(turn, "requesting candidates"),
                          {.total = 1, .atMost = clock_.leftUntil(kTurnsShare)});
  const Analysis analysis = analyzeBest();
  const std::vector<Example> examples = HONE_TRY(examplesFor(analysis));
  std::vector<JudgedProposal> tried;
  for (const Entry& entry : trials_.entries()) {
    if (entry.tried.turn > 0) {
      tried.push_back(entry.tried);
    }
  }
  const TurnView view{context_.kernelJudge.task(),
                      original().source(),
                      best_.entry->source(),
                      best_.speedup,
                      analysis,
                      tried,
                      examples,
                      turn,
                      options_.candidates};
  TurnRecord record;
  record.turn = turn;
  record.proposals = HONE_TRY(context_.proposer.propose(view));
  record.analysis = toRecord(analysis);
  for (const Example& example : examples) {
    record.examples.push_back(example.name);
  }
  record.complaint = context_.proposer.complaint();
  record.ended = context_.proposer.ended();
  record.memory = context_.proposer.memory();
  HONE_CHECK(save(record));
  context_.progress.step();
  if (!record.complaint.empty()) {
    context_.progress.say(fmt::format("turn {}: {}", turn, record.complaint));
  }
  return record;
}

Result<void> Optimizer::judgeProposals(TurnRecord& record) {
  context_.progress.stage(stageName(record.turn, "judging"),
                          {.total = static_cast<std::int64_t>(record.proposals.size()),
                           .atMost = clock_.leftUntil(kTurnsShare)});
  for (const Proposal& proposal : record.proposals) {
    const bool isNew = trials_.find(proposal.source.key()) == nullptr;
    if (isNew && isBudgetSpent()) {
      break;
    }
    const Entry* entry = HONE_TRY(trials_.judge(proposal, record.turn, bestScreenNs_));
    if (entry->tried.judged.ok() && entry->screenNs > 0) {
      bestScreenNs_ = std::min(bestScreenNs_, entry->screenNs);
      context_.progress.best(fmt::format("{} ({:.2f}x)", humanTime(bestScreenNs_),
                                         original().screenNs / bestScreenNs_));
    }
    context_.progress.step(proposal.title);
    if (isNew) {
      HONE_CHECK(save(record));
    }
    if (interrupted()) {
      return interruptedError();
    }
  }
  return {};
}

std::vector<Entry*> Optimizer::selectRacers(std::size_t turn) {
  std::vector<Entry*> entries;
  for (Entry& entry : trials_.entries()) {
    if (entry.tried.turn == turn && entry.tried.judged.ok() && entry.screenNs > 0) {
      entries.push_back(&entry);
    }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry* a, const Entry* b) { return a->screenNs < b->screenNs; });
  entries.resize(std::min(entries.size(), kMaxRacers));
  return entries;
}

Result<void> Optimizer::decide(TurnRecord& record) {
  std::vector<Entry*> racers = selectRacers(record.turn);
  for (const Entry& entry : trials_.entries()) {
    if (entry.tried.turn == record.turn && entry.tried.speedup) {
      record.speedups[entry.source().key()] = *entry.tried.speedup;
    }
  }
  record.best = best_.entry->source().key();
  record.bestSpeedup = best_.speedup;
  record.bestNs = best_.ns;
  if (!racers.empty()) {
    if (best_.entry != &original()) {
      racers.insert(racers.begin(), best_.entry);
    }
    racers.insert(racers.begin(), &original());
    std::vector<engine::Participant> participants;
    for (const Entry* racer : racers) {
      participants.push_back(trials_.participant(racer->trial, racer->source()));
    }
    const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
    const TurnRace race = HONE_TRY(raceTurn(races_, participants, record.turn, trials_.scope().seed,
                                            stageName(record.turn, "race"), context_.progress));
    trials_.refresh();
    for (std::size_t i = 0; i < racers.size(); ++i) {
      if (race.speedups[i]) {
        record.speedups[racers[i]->source().key()] = *race.speedups[i];
      }
    }
    const std::size_t first = race.ranking.empty() ? 0 : race.ranking.front();
    const std::size_t winner = race.speedups[first].value_or(0) > 1 ? first : 0;
    const auto before = std::find(racers.begin(), racers.end(), best_.entry) - racers.begin();
    const double beforeSpeedup = race.speedups[static_cast<std::size_t>(before)].value_or(1);
    record.best = racers[winner]->source().key();
    record.bestSpeedup = race.speedups[winner].value_or(1);
    record.bestNs = race.timesNs[winner];
    record.improvement = racers[winner] == best_.entry ? 0 : record.bestSpeedup / beforeSpeedup - 1;
  }
  record.decided = true;
  HONE_CHECK(save(record));
  context_.progress.say(fmt::format(
      "turn {}: best {:.2f}x over the original{}", record.turn, record.bestSpeedup,
      record.improvement > 0 ? fmt::format(" (+{:.0f} %)", 100 * record.improvement) : ""));
  return {};
}

void Optimizer::applyTurn(const TurnRecord& record) {
  for (Entry& entry : trials_.entries()) {
    if (const auto at = record.speedups.find(entry.source().key()); at != record.speedups.end()) {
      entry.tried.speedup = at->second;
    }
    if (entry.tried.turn == record.turn && entry.tried.judged.ok() && entry.screenNs > 0) {
      bestScreenNs_ = std::min(bestScreenNs_, entry.screenNs);
    }
  }
  if (Entry* best = trials_.find(record.best); best != nullptr) {
    best_ = {best, record.bestSpeedup, record.bestNs};
    context_.progress.best(fmt::format("{} ({:.2f}x)", humanTime(best_.ns), best_.speedup));
  }
}

Result<std::optional<Confirmation>> Optimizer::confirm() {
  if (best_.entry == &original()) {
    return std::nullopt;
  }
  return confirmWinner({.trials = trials_,
                        .original = original(),
                        .winner = *best_.entry,
                        .withPyTorch = originalOverPyTorch_.has_value(),
                        .rounds = options_.rounds,
                        .clock = clock_,
                        .progress = context_.progress});
}

}  // namespace hone::kernel
