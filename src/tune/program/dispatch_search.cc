#include "tune/program/dispatch_search.h"

#include <algorithm>

#include "tune/program/whole_program.h"

namespace hone::tune {
namespace {

/// A search ends after this many consecutive steps with a gain below kMinGain.
constexpr std::size_t kMaxStepsWithoutGain = 5;
constexpr double kMinGain = 0.01;
/// Expected gain of the first step; it decreases with each further step.
constexpr double kInitialExpectedGain = 0.3;

/// Records the knobs with the run: a replay needs to know which of them are ordered.
Result<void> recordSpace(const engine::TrialContext& bench, const std::string& scope,
                         const search::Space& space) {
  auto run = HONE_TRY(bench.store.run(bench.run));
  std::vector<model::SearchedKnob> knobs;
  for (const search::Knob& knob : space.knobs()) {
    knobs.push_back({.name = knob.name, .ordered = knob.ordered});
  }
  run->details.spaces[scope] = std::move(knobs);
  return bench.store.setDetails(bench.run, run->details);
}

}  // namespace

Result<std::unique_ptr<DispatchSearch>> DispatchSearch::begin(const engine::TrialContext& bench,
                                                              const TunableDispatch& tunable,
                                                              const SearchOptions& options) {
  ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-tune"));
  std::unique_ptr<DispatchSearch> search(new DispatchSearch(tunable, std::move(folder)));
  engine::Plan& plan = search->plan_;
  plan.scope = options.scope;
  plan.programs = {tunable.program};
  plan.flags = options.flags;
  plan.seed = options.seed;
  plan.onlyGains = true;
  plan.rounds = options.rounds;
  plan.budget.time = options.budget.time;
  plan.compare.seed = options.seed;
  plan.candidates = {{0, {"default", {}, {}}}};
  const auto& path = search->folder_.path();
  const auto& specs = tunable.standalone ? std::vector<std::string>() : options.inputSpecs;
  InputSets inputs = HONE_TRY(makeInputSets(tunable.program, specs, options.seed, path));
  plan.inputs = std::move(inputs.first);
  plan.otherInputs = std::move(inputs.other);
  plan.inputSpecs = specs;
  for (const model::Config& config : options.planned) {
    plan.candidates.push_back({0, config});
  }
  if (tunable.knobs) {
    HONE_CHECK(search->prepareStrategy(options));
    HONE_CHECK(recordSpace(bench, options.scope, tunable.knobs->space));
  }
  search->session_ = std::make_unique<engine::Session>(bench, plan, path);
  HONE_CHECK(search->session_->restore());
  HONE_CHECK(search->session_->submitPlanned());
  return search;
}

Result<void> DispatchSearch::prepareStrategy(const SearchOptions& options) {
  const knobs::KnobModel& knobs = *tunable_.knobs;
  // For random and exhaustive search, users expect the whole budget to be used.
  stopsEarly_ = options.strategy != "random" && options.strategy != "exhaustive";
  search::StrategyOptions strategy{options.seed, options.first, knobs.guess};
  strategy.first.insert(strategy.first.end(), knobs.first.begin(), knobs.first.end());
  proposer_ = std::make_unique<SpaceProposer>(
      knobs, HONE_TRY(search::makeStrategy(options.strategy, knobs.space, strategy)),
      tunable_.pattern());
  plan_.proposer = proposer_.get();
  return {};
}

Result<void> DispatchSearch::ready() { return session_->receive(); }

Result<std::size_t> DispatchSearch::beginStep(std::size_t most) {
  beforeNs_ = session_->incumbentNs();
  stepTried_ = HONE_TRY(session_->submitProposed(most));
  underWay_ = true;
  return stepTried_;
}

Result<void> DispatchSearch::endStep() {
  HONE_CHECK(session_->receive());
  underWay_ = false;
  ++steps_;
  lastGain_ = beforeNs_ > 0 ? 1 - session_->incumbentNs() / beforeNs_ : 0;
  stepsWithoutGain_ = lastGain_ < kMinGain ? stepsWithoutGain_ + 1 : 0;
  done_ = stepTried_ == 0 || (stopsEarly_ && stepsWithoutGain_ >= kMaxStepsWithoutGain);
  return {};
}

model::SearchEnd DispatchSearch::end() const {
  if (!done_) {
    return model::SearchEnd::budget;
  }
  return stepTried_ == 0 ? model::SearchEnd::exhausted : model::SearchEnd::plateau;
}

double DispatchSearch::expectedGain() const {
  const double now = baselineNs() > 0 ? tunable_.share * bestNs() / baselineNs() : tunable_.share;
  const double initialGain =
      kInitialExpectedGain / static_cast<double>(1 + steps_ + stepsWithoutGain_);
  return now * std::max(lastGain_, initialGain);
}

Result<void> DispatchSearch::beginFinish() { return session_->submitFinal(); }

Result<std::vector<engine::Finding>> DispatchSearch::finish() {
  HONE_CHECK(session_->receive());
  return session_->findings();
}

}  // namespace hone::tune
