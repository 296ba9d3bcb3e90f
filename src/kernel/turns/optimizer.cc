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

/// The fraction of a time budget after which no turn begins: the proof has the rest.
constexpr double kTurnsShare = 0.8;
/// So many candidates of a turn are raced.
constexpr std::size_t kRacers = 3;
/// So many times the examples wanted are found by words before meaning ranks them.
constexpr std::size_t kByMeaning = 5;
/// A kernel has to show nothing for so many turns to be left alone.
constexpr int kDullTurns = 2;

/// What is wrong with a kernel that did not pass, before the judge's own words.
std::string_view complaintOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::compileFailed:
    case Outcome::compileTimeout:
      return "does not compile";
    case Outcome::mismatch:
      return "is wrong from the start";
    case Outcome::invalid:
      return "is refused";
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
  HONE_CHECK(meetPyTorch());
  HONE_CHECK(takeTurns());
  Optimized result;
  result.confirmed = HONE_TRY(confirm());
  result.original = original().source();
  result.best = best_.entry->tried.proposal;
  result.stop = stop_;
  result.why = why_;
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
    result.note = "no candidate was quicker than the original: it stays as it is";
  } else if (!result.confirmed) {
    result.note = fmt::format("{}: nothing is kept",
                              HONE_TRY(explainUnconfirmed(trials_, original(), *best_.entry)));
  } else if (!result.improved()) {
    result.note = "the gain could not be confirmed: the original stays as it is";
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
  const Judged& judged = entry->tried.judged;
  if (!judged.ok()) {
    return userError("{} {}: {}", source.name, complaintOf(judged.outcome), judged.message);
  }
  best_ = {entry, 1, entry->screenNs};
  if (entry->screenNs <= 0) {
    const Analysis analysis = analyseBest();
    for (const std::string& line : splitAt(trim(analysis.text()), '\n')) {
      context_.progress.say(line);
    }
    return userError(
        "{} is right, but it is a kernel for a GPU and there is none here to time it: nothing can "
        "be proven faster on this machine{}",
        source.name, analysis.compiled.empty() ? "" : fmt::format(" ({})", analysis.compiled));
  }
  if (const auto missing = judged.facts.find("missing_defences"); missing != judged.facts.end()) {
    context_.progress.say(warningOf(missing->get<std::vector<std::string>>()));
  }
  quickestScreenNs_ = entry->screenNs;
  return {};
}

Result<void> Optimizer::meetPyTorch() {
  const auto beside = HONE_TRY(besidePyTorch(trials_, races_, context_.progress));
  if (beside) {
    originalOverPyTorch_ = beside->speedup;
    pytorchNs_ = beside->pytorchNs;
    best_.ns = beside->kernelNs;
  } else if (context_.kernelJudge.hasPyTorch()) {
    context_.progress.say("PyTorch's reference could not be timed: the original is the measure");
  }
  return {};
}

bool Optimizer::reachedTarget() const {
  return (originalOverPyTorch_ || options_.targetOverOriginal) &&
         best_.speedup * originalOverPyTorch_.value_or(1) >= options_.targetSpeedup;
}

bool Optimizer::usedUp() const {
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

void Optimizer::stopFor(Stop stop, std::string why) {
  stop_ = stop;
  why_ = std::move(why);
}

std::string Optimizer::stageOf(std::size_t turn, std::string_view what) const {
  return fmt::format("turn {} of {}, {}", turn, options_.maxTurns, what);
}

Result<void> Optimizer::takeTurns() {
  const std::string_view measure =
      originalOverPyTorch_ ? "PyTorch's speed" : "the original's speed";
  int dull = 0;
  std::string complaint;
  for (std::size_t turn = 1;; ++turn) {
    if (reachedTarget()) {
      stopFor(Stop::target, fmt::format("the target is reached: {:.2f}x {}, {:.2f}x was wanted",
                                        best_.speedup * originalOverPyTorch_.value_or(1), measure,
                                        options_.targetSpeedup));
      return {};
    }
    if (dull >= kDullTurns) {
      stopFor(Stop::plateau, fmt::format("{} turns in a row gained less than {:.0f} %{}", dull,
                                         100 * options_.minImprovement,
                                         complaint.empty() ? "" : fmt::format(" ({})", complaint)));
      return {};
    }
    if (turn > options_.maxTurns) {
      stopFor(Stop::turns, fmt::format("all {} turns are done", options_.maxTurns));
      return {};
    }
    if (usedUp()) {
      stopFor(Stop::budget, "the budget is used up");
      return {};
    }
    TurnRecord record = HONE_TRY(beginTurn(turn));
    if (record.proposals.empty() && (record.complaint.empty() || !record.ended.empty())) {
      stopFor(Stop::noIdeas, record.ended.empty() ? "there are no more ideas" : record.ended);
      return {};
    }
    if (!record.decided) {
      HONE_CHECK(judgeProposals(record));
      HONE_CHECK(decide(record));
    }
    recall(record);
    complaint = record.complaint;
    dull = record.improvement < options_.minImprovement ? dull + 1 : 0;
  }
}

Analysis Optimizer::analyseBest() const {
  Measured measured;
  measured.kernelNs = best_.ns;
  measured.pytorchNs = pytorchNs_;
  measured.peakGflops = options_.peakGflops;
  measured.peakGbps = options_.peakGbps;
  measured.threads = options_.threads;
  return analyse(context_.kernelJudge.task(), best_.entry->source(), best_.entry->tried.judged,
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
  const std::string said = query;
  query += best_.entry->source().text;
  const std::string_view language = nameOf(best_.entry->source().language);
  if (context_.embeddings == nullptr) {
    return context_.examples->search(query, language, options_.examples);
  }
  auto found = HONE_TRY(context_.examples->search(query, language, kByMeaning * options_.examples));
  auto ranked = HONE_TRY(context_.embeddings->rank(said, std::move(found)));
  ranked.resize(std::min(ranked.size(), options_.examples));
  return ranked;
}

Result<TurnRecord> Optimizer::beginTurn(std::size_t turn) {
  if (const TurnRecord* before = history_.find(turn); before != nullptr) {
    if (history_.find(turn + 1) == nullptr) {
      context_.proposer.recall(before->memory);
    }
    return *before;
  }
  context_.progress.stage(stageOf(turn, "asking"),
                          {.total = 1, .atMost = clock_.leftUntil(kTurnsShare)});
  const Analysis analysis = analyseBest();
  const std::vector<Example> examples = HONE_TRY(examplesFor(analysis));
  std::vector<Tried> tried;
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
  record.analysis = recordOf(analysis);
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
  context_.progress.stage(stageOf(record.turn, "judging"),
                          {.total = static_cast<std::int64_t>(record.proposals.size()),
                           .atMost = clock_.leftUntil(kTurnsShare)});
  for (const Proposal& proposal : record.proposals) {
    const bool isNew = trials_.find(proposal.source.key()) == nullptr;
    if (isNew && usedUp()) {
      break;
    }
    const Entry* entry = HONE_TRY(trials_.judge(proposal, record.turn, quickestScreenNs_));
    if (entry->tried.judged.ok() && entry->screenNs > 0) {
      quickestScreenNs_ = std::min(quickestScreenNs_, entry->screenNs);
      context_.progress.best(fmt::format("{} ({:.2f}x)", humanTime(quickestScreenNs_),
                                         original().screenNs / quickestScreenNs_));
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

std::vector<Entry*> Optimizer::passed(std::size_t turn) {
  std::vector<Entry*> entries;
  for (Entry& entry : trials_.entries()) {
    if (entry.tried.turn == turn && entry.tried.judged.ok() && entry.screenNs > 0) {
      entries.push_back(&entry);
    }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry* a, const Entry* b) { return a->screenNs < b->screenNs; });
  entries.resize(std::min(entries.size(), kRacers));
  return entries;
}

Result<void> Optimizer::decide(TurnRecord& record) {
  std::vector<Entry*> racers = passed(record.turn);
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
                                            stageOf(record.turn, "race"), context_.progress));
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
      "turn {}: best {:.2f}x the original's speed{}", record.turn, record.bestSpeedup,
      record.improvement > 0 ? fmt::format(" (+{:.0f} %)", 100 * record.improvement) : ""));
  return {};
}

void Optimizer::recall(const TurnRecord& record) {
  for (Entry& entry : trials_.entries()) {
    if (const auto at = record.speedups.find(entry.source().key()); at != record.speedups.end()) {
      entry.tried.speedup = at->second;
    }
    if (entry.tried.turn == record.turn && entry.tried.judged.ok() && entry.screenNs > 0) {
      quickestScreenNs_ = std::min(quickestScreenNs_, entry.screenNs);
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
