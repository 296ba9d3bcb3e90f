#include "kernel/turns/optimizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/clock.h"
#include "base/process/interrupt.h"
#include "base/text/text.h"
#include "engine/machine_lock.h"
#include "kernel/turns/decide/turn_decision.h"
#include "kernel/turns/decide/turn_race.h"
#include "kernel/turns/slow_list.h"
#include "kernel/worker/sandbox/defences.h"

namespace hone::kernel {
namespace {

using model::Outcome;

/// No turn begins after this share of the time budget; the confirmation gets the remainder.
constexpr double kTurnsShare = 0.8;
/// The word search returns this many times the requested examples; embeddings rank them.
constexpr std::size_t kPrefilterFactor = 5;
/// Stop after this many consecutive turns without a sufficient gain.
constexpr int kPlateauTurns = 2;

/// Returns true for kernels that compute right results, however slowly.
bool isCorrect(Outcome outcome) { return outcome == Outcome::ok || outcome == Outcome::tooSlow; }

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
                     OptimizeOptions options)
    : context_(context),
      options_(std::move(options)),
      trials_(context.kernelJudge, scope),
      history_(scope),
      races_(scope.rankBy, trials_.log(), model::Stage::race),
      clock_(options_.budget, options_.now) {
  trials_.setClock(options_.now);
}

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
  result.failure = failure_;
  result.originalOverPyTorch = originalOverPyTorch_;
  result.candidates = trials_.candidates();
  for (const Entry& entry : trials_.entries()) {
    result.failed += isCorrect(entry.tried.judged.outcome) ? 0 : 1;
    result.tried.push_back(entry.tried);
  }
  result.turns = history_.turns();
  result.conversation = context_.proposer.conversation();
  result.spent = context_.proposer.spent();
  result.cost = context_.proposer.cost();
  result.timed = timed_;
  if (result.candidates == 0 && result.stop == Stop::budget) {
    result.note =
        "the budget was used up before a candidate was tried; nothing written; raise --budget";
  } else if (!timed_) {
    result.note = explainUntimed(result);
  } else if (best_.entry == &original() && skippedRace_) {
    result.note =
        "the budget was used up before the candidates could be compared; nothing written; raise "
        "--budget";
  } else if (best_.entry == &original()) {
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
  clock_.exclude(history_.turns().empty() ? 0 : -history_.turns().back().usedMs * 1'000'000);
  context_.progress.best({});
  context_.progress.stage("the original", 1);
  Entry* entry = HONE_TRY(trials_.judge({source, "the original", {}, ""}, 0, 0));
  context_.progress.step();
  const JudgeResult& judged = entry->tried.judged;
  if (!judged.ok()) {
    return userError("{} {}: {}", source.name, failurePredicate(judged.outcome), judged.message);
  }
  best_ = {entry, 1, entry->screenNs};
  timed_ = entry->screenNs > 0;
  if (!timed_) {
    context_.progress.say(
        fmt::format("{} is correct, but no GPU was found to time it; candidates "
                    "are ordered by estimates from the compiled code",
                    source.name));
    for (const std::string& line : splitAt(trim(analyzeBest().text()), '\n')) {
      context_.progress.say(line);
    }
  }
  if (!judged.facts.missingDefences.empty()) {
    context_.progress.say(formatWarning(judged.facts.missingDefences));
  }
  bestScreenNs_ = entry->screenNs;
  return {};
}

Result<void> Optimizer::timePyTorch() {
  if (!timed_) {
    return {};
  }
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
  return timed_ && (originalOverPyTorch_ || options_.targetOverOriginal) &&
         best_.speedup * originalOverPyTorch_.value_or(1) >= options_.targetSpeedup;
}

std::optional<std::chrono::milliseconds> Optimizer::timeForTurns() const {
  const auto left = clock_.leftUntil(1.0);
  if (!left) {
    return std::nullopt;
  }
  if (!timed_) {  // nothing is confirmed
    const auto step = std::chrono::ceil<std::chrono::milliseconds>(trials_.longestJudgement());
    return std::max(*left - step, std::chrono::milliseconds(0));
  }
  // Time for the confirmation, and for the step of a turn that is not interrupted.
  const auto round =
      trials_.longestMeasurement() * processesPerRound(originalOverPyTorch_.has_value());
  const auto reserved = std::chrono::ceil<std::chrono::milliseconds>(
      round * kMinConfirmRounds + std::max(round, trials_.longestJudgement()));
  const auto ofShare = *clock_.leftUntil(kTurnsShare);
  return std::max(std::min(ofShare, *left - reserved), std::chrono::milliseconds(0));
}

bool Optimizer::mustConfirm() const {
  const auto left = timeForTurns();
  return left && left->count() <= 0;
}

bool Optimizer::isBudgetSpent() const {
  const auto& trials = options_.budget.trials;
  return mustConfirm() ||
         (trials &&
          trials_.candidates() >= static_cast<std::size_t>(std::max<std::int64_t>(*trials, 0)));
}

Result<void> Optimizer::save(TurnRecord& record) {
  record.usedMs = clock_.used().count();
  return history_.save(record);
}

void Optimizer::setStop(Stop stop, std::string reason) {
  stop_ = stop;
  stopReason_ = std::move(reason);
}

std::string Optimizer::stageName(std::size_t turn, std::string_view what) const {
  return fmt::format("turn {} of {}, {}", turn, options_.maxTurns, what);
}

bool Optimizer::hasStopped(std::size_t turn) {
  if (failure_) {
    setStop(Stop::proposer, failure_->message);
  } else if (reachedTarget()) {
    setStop(Stop::target,
            fmt::format("target reached: {:.2f}x over {}, target {:.2f}x",
                        best_.speedup * originalOverPyTorch_.value_or(1),
                        originalOverPyTorch_ ? "PyTorch" : "the original", options_.targetSpeedup));
  } else if (turnsWithoutGain_ >= kPlateauTurns) {
    setStop(Stop::plateau, fmt::format("{} turns in a row gained less than {:.0f} %",
                                       turnsWithoutGain_, 100 * options_.minImprovement));
  } else if (turn > options_.maxTurns && failedTurns_ > 0 && failedTurns_ == options_.maxTurns) {
    setStop(Stop::failures, fmt::format("none of the {} turns had a correct candidate (last: {})",
                                        options_.maxTurns, lastFailure_));
  } else if (turn > options_.maxTurns) {
    setStop(Stop::turns, fmt::format("all {} turns done", options_.maxTurns));
  } else if (isBudgetSpent()) {
    setStop(Stop::budget, "budget exhausted");
  } else {
    return false;
  }
  return true;
}

Result<void> Optimizer::runTurns() {
  for (std::size_t turn = 1; !hasStopped(turn); ++turn) {
    TurnRecord record = HONE_TRY(beginTurn(turn));
    if (failure_) {
      continue;  // nothing of this turn is stored, so a resumed run requests it again
    }
    if (record.proposals.empty() && (record.complaint.empty() || !record.ended.empty())) {
      setStop(Stop::noIdeas, record.ended.empty() ? "no more proposals" : record.ended);
      break;
    }
    if (!record.decided) {
      HONE_CHECK(judgeProposals(record));
      HONE_CHECK(repairProposals(record));
      HONE_CHECK(decide(record));
    }
    applyTurn(record);
    if (!hasCorrectCandidate(record)) {
      ++failedTurns_;
      const std::vector<JudgedProposal> failed = failuresToRepair(record);
      lastFailure_ = !record.complaint.empty() ? record.complaint
                     : failed.empty()          ? "no candidate was judged"
                                               : failed.back().judged.message;
    } else {
      turnsWithoutGain_ = record.improvement < options_.minImprovement ? turnsWithoutGain_ + 1 : 0;
    }
  }
  if (failure_ && best_.entry == &original()) {
    return std::unexpected(*failure_);
  }
  return {};
}

bool Optimizer::hasCorrectCandidate(const TurnRecord& record) {
  return std::ranges::any_of(record.proposals, [&](const Proposal& proposal) {
    const Entry* entry = trials_.find(proposal.source.key());
    return entry != nullptr && isCorrect(entry->tried.judged.outcome);
  });
}

std::vector<JudgedProposal> Optimizer::failuresToRepair(const TurnRecord& record) {
  std::vector<JudgedProposal> failed;
  const std::size_t last = record.proposals.empty() ? 0 : record.proposals.back().attempt;
  for (const Proposal& proposal : record.proposals) {
    const Entry* entry = trials_.find(proposal.source.key());
    if (proposal.attempt == last && entry != nullptr && !entry->tried.judged.ok()) {
      failed.push_back(entry->tried);
      failed.back().proposal = proposal;  // its title in this turn
    }
  }
  return failed;
}

Result<void> Optimizer::repairProposals(TurnRecord& record) {
  while (record.repairs < options_.repairs && record.ended.empty() && !isBudgetSpent()) {
    context_.progress.stage(stageName(record.turn, "correcting candidates"),
                            {.total = 1, .atMost = timeForTurns()});
    const TurnInput input = HONE_TRY(turnInput());
    auto repaired =
        context_.proposer.repair(makeView(input, record.turn), failuresToRepair(record));
    if (!repaired && repaired.error().fault == Fault::interrupted) {
      return std::unexpected(repaired.error());
    }
    if (!repaired) {
      failure_ = repaired.error();  // the turn is decided without it
      return {};
    }
    if (!*repaired) {
      return {};
    }
    ++record.repairs;
    for (Proposal& proposal : **repaired) {
      proposal.attempt = record.repairs;
      record.proposals.push_back(std::move(proposal));
    }
    noteProposer(record);
    HONE_CHECK(save(record));
    HONE_CHECK(judgeProposals(record));
  }
  return {};
}

Analysis Optimizer::analyzeBest() const {
  Measured measured = options_.machine;
  measured.kernelNs = best_.ns;
  measured.pytorchNs = pytorchNs_;
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

Result<Optimizer::TurnInput> Optimizer::turnInput() {
  TurnInput input;
  input.analysis = analyzeBest();
  input.examples = HONE_TRY(examplesFor(input.analysis));
  for (const Entry& entry : trials_.entries()) {
    if (entry.tried.turn > 0) {
      input.tried.push_back(entry.tried);
    }
  }
  return input;
}

TurnView Optimizer::makeView(const TurnInput& input, std::size_t turn) {
  return {.task = context_.kernelJudge.task(),
          .original = original().source(),
          .best = best_.entry->source(),
          .bestSpeedup = best_.speedup,
          .analysis = input.analysis,
          .tried = input.tried,
          .examples = input.examples,
          .turn = turn,
          .count = options_.candidates,
          .timeLeft = timeForTurns()};
}

void Optimizer::noteProposer(TurnRecord& record) {
  record.complaint = context_.proposer.complaint();
  record.ended = context_.proposer.ended();
  record.memory = context_.proposer.memory();
  if (!record.complaint.empty()) {
    context_.progress.say(fmt::format("turn {}: {}", record.turn, record.complaint));
  }
}

Result<TurnRecord> Optimizer::beginTurn(std::size_t turn) {
  if (const TurnRecord* before = history_.find(turn); before != nullptr) {
    if (history_.find(turn + 1) == nullptr) {
      context_.proposer.restoreMemory(before->memory);
    }
    return *before;
  }
  context_.progress.stage(stageName(turn, "requesting candidates"),
                          {.total = 1, .atMost = timeForTurns()});
  const TurnInput input = HONE_TRY(turnInput());
  TurnRecord record;
  record.turn = turn;
  auto proposals = context_.proposer.propose(makeView(input, turn));
  if (!proposals && proposals.error().fault == Fault::interrupted) {
    return std::unexpected(proposals.error());
  }
  if (!proposals) {
    failure_ = proposals.error();
    return record;
  }
  record.proposals = *std::move(proposals);
  record.analysis = toRecord(input.analysis);
  for (const Example& example : input.examples) {
    record.examples.push_back(example.name);
  }
  noteProposer(record);
  HONE_CHECK(save(record));
  context_.progress.step();
  return record;
}

Result<void> Optimizer::judgeProposals(TurnRecord& record) {
  context_.progress.stage(
      stageName(record.turn, "judging"),
      {.total = static_cast<std::int64_t>(record.proposals.size()), .atMost = timeForTurns()});
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

Result<void> Optimizer::decide(TurnRecord& record) {
  for (const Entry& entry : trials_.entries()) {
    if (entry.tried.turn == record.turn && entry.tried.speedup) {
      record.speedups[entry.source().key()] = *entry.tried.speedup;
    }
  }
  record.best = best_.entry->source().key();
  record.bestSpeedup = best_.speedup;
  record.bestNs = best_.ns;
  if (timed_) {
    HONE_CHECK(decideByRace(record));
  } else if (const auto cost = setLowestEstimate(record, trials_.entries(), *best_.entry)) {
    context_.progress.say(fmt::format(
        "turn {}: lowest estimated cost {:.2f} of the original (not timed)", record.turn, *cost));
  }
  record.decided = true;
  HONE_CHECK(save(record));
  if (timed_) {
    context_.progress.say(fmt::format(
        "turn {}: best {:.2f}x over the original{}", record.turn, record.bestSpeedup,
        record.improvement > 0 ? fmt::format(" (+{:.0f} %)", 100 * record.improvement) : ""));
  }
  return {};
}

Result<void> Optimizer::decideByRace(TurnRecord& record) {
  std::vector<Entry*> racers = selectRacers(trials_.entries(), record.turn);
  if (racers.empty()) {
    return {};
  }
  if (best_.entry != &original()) {
    racers.insert(racers.begin(), best_.entry);
  }
  racers.insert(racers.begin(), &original());
  std::vector<engine::Participant> participants;
  for (const Entry* racer : racers) {
    participants.push_back(trials_.participant(racer->trial, racer->source()));
  }
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  const std::string stage = stageName(record.turn, "race");
  const auto outOfTime = [&, known = trials_.recordedRounds(original().trial, model::Stage::race,
                                                            firstRound(record.turn))](
                             std::int64_t rounds) { return rounds >= known && mustConfirm(); };
  const TurnRace race = HONE_TRY(raceTurn({.rounds = races_,
                                           .participants = participants,
                                           .turn = record.turn,
                                           .seed = trials_.scope().seed,
                                           .stage = stage,
                                           .progress = context_.progress,
                                           .outOfTime = outOfTime}));
  trials_.refresh();
  for (std::size_t i = 0; i < racers.size(); ++i) {
    if (race.speedups[i]) {
      record.speedups[racers[i]->source().key()] = *race.speedups[i];
    }
  }
  if (race.speedups.front()) {
    setWinner(record, racers, *best_.entry, race);
  } else {
    skippedRace_ = true;  // no time for a round
  }
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
    context_.progress.best(
        !timed_ ? "not timed" : fmt::format("{} ({:.2f}x)", humanTime(best_.ns), best_.speedup));
  }
}

Result<std::optional<Confirmation>> Optimizer::confirm() {
  if (best_.entry == &original() || !timed_) {
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
