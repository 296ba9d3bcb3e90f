#include "tune/program/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ranges>

#include "base/machine.h"
#include "base/text/text.h"
#include "tune/layers/layer_form.h"
#include "tune/program/variant_proof.h"

namespace hone::tune {
namespace {

/// Fractions of the budget at which a stage ends: flags, and the search of all variants. Flags of
/// programs with layers to measure get more time: they gain the most there.
constexpr double kFlagShare = 0.15;
constexpr double kFlagShareWithLayers = 0.75;
constexpr double kSearchShare = 0.6;
/// Fractions of the budget at which each step ends: other flag sets, and measuring more layers.
constexpr double kOtherSetsShare = 0.65;
constexpr double kMoreLayersShare = 0.68;
/// Part of the time for flags until the best set is combined with further flags.
constexpr double kFirstFlagsShare = 0.75;
constexpr const char* kFirstFlags = "flags";
/// Expected compile time of a set that was not compiled in time, as a multiple of that time.
constexpr int kUntriedFactor = 2;
/// Programs are compiled whole for each flag set, so that a batch must be small.
constexpr std::size_t kFlagBatch = 2;
constexpr std::int64_t kFlagRounds = 10;
/// If flags gain more than this, the program without them is not searched.
constexpr double kDecisiveSpeedup = 3;

bool hasFailed(const engine::Finding& finding) {
  return finding.outcome != model::Outcome::ok && finding.outcome != model::Outcome::tooSlow;
}

std::size_t countFailures(const std::vector<engine::Finding>& findings) {
  return static_cast<std::size_t>(std::ranges::count_if(findings, hasFailed));
}

/// Records the winner; if there is none, the fastest finalist.
void recordFinal(const std::vector<engine::Finding>& findings, TunedDispatch& dispatch) {
  const engine::Finding* best = nullptr;
  for (const engine::Finding& finding : findings) {
    if (finding.comparison && !hasFailed(finding)) {
      ++dispatch.finalists;
      if (best == nullptr ||
          finding.comparison->speedup.estimate > best->comparison->speedup.estimate) {
        best = &finding;
      }
    }
  }
  if (const engine::Finding* winner = engine::findWinner(findings)) {
    dispatch.winner = *winner;
  } else if (best != nullptr) {
    dispatch.bestFinalist = *best;
  }
}

/// Returns true if the interval of a candidate lies above the estimate of another one, which may
/// have failed.
bool isClearlyFaster(const engine::Finding& one, const engine::Finding& other) {
  return one.comparison &&
         (!other.comparison || one.comparison->speedup.low > other.comparison->speedup.estimate);
}

std::chrono::milliseconds fromNs(double ns) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(ns / 1e6));
}

/// Returns true for layers that a script computes in another way.
bool isRewritable(const model::Layer& layer) {
  return isConvolution(layer) || (isMatmul(layer) && likelyWay(layer).tile);
}

/// Returns the set with this name, which must exist.
const FlagSet& setNamed(const std::vector<FlagSet>& sets, const std::string& name) {
  return *std::ranges::find(sets, name, &FlagSet::name);
}

/// Returns the search with the largest expected gain; nullptr if all are done or under way.
DispatchSearch* mostPromising(const std::vector<std::unique_ptr<DispatchSearch>>& searches) {
  DispatchSearch* next = nullptr;
  for (const auto& search : searches) {
    if (!search->done() && !search->underWay() &&
        (next == nullptr || search->expectedGain() > next->expectedGain())) {
      next = search.get();
    }
  }
  return next;
}

}  // namespace

Result<Tuner> Tuner::make(const engine::TrialContext& bench, iree::Target target,
                          WholeProgram whole, TuneOptions options, std::filesystem::path folder) {
  if (!engine::canBeCompared(whole.program)) {
    return userError(
        "{} returns nothing that can be compared ({}), so wrong results would go unnoticed; "
        "use a function that returns tensors or numbers",
        whole.program.label(), join(whole.program.resultTypes, ", "));
  }
  store::Run like = HONE_TRY(bench.store.run(bench.run)).value_or(store::Run{});
  like.target = target.name;
  like.cpu = cpuName();
  auto known = HONE_TRY(readHistory(bench.store, like));
  return Tuner(bench, std::move(target), std::move(whole), std::move(options), std::move(folder),
               std::move(known));
}

std::vector<std::string> Tuner::listFlags(const Variant& variant) const {
  std::vector<std::string> flags = whole_.flags;
  flags.insert(flags.end(), variant.flags.flags.begin(), variant.flags.flags.end());
  return flags;
}

std::size_t Tuner::trialsLeft(const Limit& limit) const {
  if (!limit.trials) {
    return std::numeric_limits<std::size_t>::max();
  }
  return static_cast<std::size_t>(std::max<std::int64_t>(*limit.trials - tried_, 0));
}

double Tuner::proofBegin(bool recompiles) const {
  return options_.budget.time ? proofShare(costs_, *options_.budget.time, recompiles) : 1;
}

Tuner::Limit Tuner::computeLimit(std::size_t variant, const TuneResult& result) const {
  const double end = layers_ ? proofBegin(true) : kSearchShare;
  const double part =
      static_cast<double>(variant + 1) / static_cast<double>(result.variants.size());
  Limit limit;
  limit.time = std::min(flagsEnd_, end) + std::max(end - flagsEnd_, 0.0) * part;
  if (options_.budget.trials) {
    limit.trials = *options_.budget.trials * static_cast<std::int64_t>(variant + 1) /
                   static_cast<std::int64_t>(result.variants.size());
  }
  return limit;
}

Result<std::vector<model::Layer>> Tuner::listLayers() {
  auto layers = bench_.compiler.ask(requestFor(whole_, whole_.flags), iree::ListLayersJob{});
  if (!layers && layers.error().fault == Fault::user) {
    return std::vector<model::Layer>();  // the baseline's own failure is reported by its trial
  }
  return layers;
}

Result<std::vector<FlagSet>> Tuner::measureLayers(const std::string& which, double end,
                                                  TuneResult& result) {
  const std::int64_t before = layers_->referenceCpuNs();
  const auto choices = HONE_TRY(layers_->run(listed_, clock_, end));
  result.layers = layers_->measured();
  result.referenceCpuNs += layers_->referenceCpuNs() - before;
  std::vector<FlagSet> sets = layerSets(std::vector<LayerAssignment>{
      {"layer by layer" + which, "each layer in the way that is fastest for it alone", choices},
      {"layer by layer, estimated", "each layer in the way that usually is fastest",
       likelyChoices(listed_)},
      {"layer by layer, not packed" + which,
       "like layer by layer, without layouts packed into tiles",
       choicesWithout(Way::packedMatmul, choices, result.layers)}});
  std::erase_if(
      sets, [&](const FlagSet& set) { return !triedScripts_.insert(set.preprocessing).second; });
  return sets;
}

Result<std::vector<engine::Finding>> Tuner::compareFlags(const FlagStage& stage,
                                                         std::vector<FlagSet>& sets,
                                                         TuneResult& result) {
  engine::Plan plan = planFor(whole_, stage.name);
  plan.onlyGains = true;
  plan.rounds = kFlagRounds;
  plan.batch = stage.promising ? 1 : kFlagBatch;
  if (const auto left = clock_.leftUntil(stage.end)) {
    plan.budget.time = std::max(*left, std::chrono::milliseconds(1));  // 0 is no limit
    if (stage.promising) {
      plan.screeningShare = screeningShare(costs_, *plan.budget.time);
    }
  }
  for (FlagSet& set : sets) {
    set = HONE_TRY(withScript(std::move(set)));
    plan.candidates.push_back({0, {set.name, set.flags, {}}});
  }
  engine::Experiment experiment(bench_);
  auto findings = HONE_TRY(experiment.run(plan));
  result.referenceCpuNs += experiment.referenceCpuNs();
  return findings;
}

Result<void> Tuner::improveFlags(const FlagStage& stage, std::vector<FlagSet> sets,
                                 std::optional<BestFlags>& best, TuneResult& result) {
  const std::string bestName = best ? best->set.name : "";
  if (best) {
    sets.insert(sets.begin(), best->set);
  }
  const auto findings = HONE_TRY(compareFlags(stage, sets, result));
  const engine::Finding* winner = engine::findWinner(findings);
  if (!best && winner != nullptr) {
    best = {setNamed(sets, winner->config.name), winner->comparison};
  }
  const bool isFirst = result.flagFindings.empty();
  for (const engine::Finding& finding : findings | std::views::drop(isFirst ? 0 : 1)) {
    if (bestName.empty() || finding.config.name != bestName) {
      result.flagFindings.push_back(finding);
    } else if (winner != nullptr && isClearlyFaster(*winner, finding)) {
      best = {setNamed(sets, winner->config.name), winner->comparison};
    }
  }
  return {};
}

Result<void> Tuner::measureDefault(TuneResult& result) {
  if (!options_.budget.time) {
    return {};
  }
  std::vector<FlagSet> none;
  const auto findings = HONE_TRY(compareFlags({"default"}, none, result));
  costs_.call = fromNs(findings.front().timeNs);
  costs_.compile = fromNs(static_cast<double>(findings.front().compileWallNs));
  return {};
}

Result<void> Tuner::tryEstimatedWays(std::optional<BestFlags>& best, TuneResult& result) {
  bench_.progress.say("trying the usual ways of the layers");
  std::vector<FlagSet> sets = HONE_TRY(measureLayers("", 0, result));
  const std::string name = sets.front().name;
  costs_.compileLayers = estimateCompile(costs_, likelyChoices(listed_));
  const auto before = clock_.used();
  HONE_CHECK(improveFlags({kFirstFlags, proofBegin(false), true}, std::move(sets), best, result));
  const auto tried = std::ranges::find(result.flagFindings, name,
                                       [](const auto& finding) { return finding.config.name; });
  if (tried == result.flagFindings.end()) {
    costs_.compileLayers =
        std::max(costs_.compileLayers, kUntriedFactor * (clock_.used() - before));
    budgetForLayers_ = budgetFor(costs_);
  } else if (tried->compileWallNs > 0) {
    costs_.compileLayers = fromNs(static_cast<double>(tried->compileWallNs));
  }
  return {};
}

Result<std::optional<Tuner::BestFlags>> Tuner::findLayerFlags(TuneResult& result) {
  layers_.emplace(bench_, LayerSearchOptions{.scope = whole_.scope,
                                             .flags = whole_.flags,
                                             .seed = whole_.seed,
                                             .known = history_.layers});
  std::optional<BestFlags> best;
  HONE_CHECK(measureDefault(result));
  HONE_CHECK(tryEstimatedWays(best, result));
  if (budgetForLayers_) {
    return best;
  }
  const auto shares = options_.budget.time
                          ? layerShares(costs_, {*options_.budget.time, clock_.used()})
                          : std::optional(LayerShares{.measuring = 1, .comparing = 1});
  if (!shares) {
    return best;
  }
  bench_.progress.say("measuring the layers");
  std::vector<FlagSet> sets = HONE_TRY(measureLayers(", measured", shares->measuring, result));
  if (!sets.empty()) {
    HONE_CHECK(
        improveFlags({"measured layers", shares->comparing, true}, std::move(sets), best, result));
  }
  return best;
}

Result<std::optional<Tuner::BestFlags>> Tuner::findFlags(TuneResult& result) {
  listed_ = HONE_TRY(listLayers());
  std::vector<FlagSet> others = flagSets(target_, listed_);
  rankByGains(history_.flagGains, others);
  std::optional<BestFlags> best;
  const bool rewritable = target_.name == "local" && std::ranges::any_of(listed_, isRewritable);
  flagsEnd_ = rewritable ? kFlagShareWithLayers : kFlagShare;
  const double end = rewritable ? kOtherSetsShare : kFirstFlagsShare * flagsEnd_;
  if (rewritable) {
    best = HONE_TRY(findLayerFlags(result));
  }
  const bool decisive =
      best && best->comparison && best->comparison->speedup.low > kDecisiveSpeedup;
  if (!others.empty() && !decisive && !(rewritable && clock_.spent(end))) {
    bench_.progress.say("trying program-wide flags");
    HONE_CHECK(improveFlags({rewritable ? "other flags" : kFirstFlags, end}, std::move(others),
                            best, result));
  }
  const auto left = clock_.leftUntil(flagsEnd_);
  const bool isLate =
      clock_.spent(flagsEnd_) || (rewritable && left && *left < comparisonTime(costs_));
  if (!best || target_.name != "local" || isLate) {
    return best;
  }
  std::vector<FlagSet> more = extendedSets(best->set);
  if (rewritable && !clock_.spent(kMoreLayersShare)) {
    const std::vector<FlagSet> again =
        HONE_TRY(measureLayers(", more layers", kMoreLayersShare, result));
    more.insert(more.begin(), again.begin(), again.end());
  }
  bench_.progress.say(fmt::format("trying more flags with {}", best->set.name));
  HONE_CHECK(improveFlags({"more flags", flagsEnd_}, std::move(more), best, result));
  return best;
}

Result<void> Tuner::findVariants(TuneResult& result) {
  result.variants.emplace_back();
  // Most flags act before the phase that a dispatch benchmark starts from.
  const std::string& from = whole_.program.from;
  const bool isWhole =
      from == iree::kPhaseStart || from == iree::kPhaseInput || from == iree::kPhaseAbi;
  if (!options_.tryFlags || !isWhole) {
    return {};
  }
  const auto best = HONE_TRY(findFlags(result));
  if (!best) {
    return {};
  }
  if (best->comparison && best->comparison->speedup.low > kDecisiveSpeedup) {
    result.variants.clear();
  }
  result.variants.insert(result.variants.begin(), Variant{best->set, {}});
  return {};
}

Result<std::vector<std::unique_ptr<DispatchSearch>>> Tuner::beginAll(Variant& variant,
                                                                     const Limit& limit) {
  std::vector<std::unique_ptr<DispatchSearch>> searches;
  for (TunedDispatch& dispatch : variant.dispatches) {
    TunableDispatch& tunable = dispatch.tunable;
    const auto planned = options_.planned.find(tunable.name);
    if (!tunable.skipReason.empty()) {
      continue;
    }
    SearchOptions options;
    if (planned != options_.planned.end()) {
      options.planned = planned->second;
      options.planned.resize(std::min(options.planned.size(), trialsLeft(limit)));
    }
    options.strategy = options_.strategy;
    options.seed = whole_.seed;
    options.flags = listFlags(variant);
    options.inputSpecs = options_.inputSpecs;
    options.budget = clock_.left();
    if (tunable.knobs) {
      options.first = likelyPoints(history_.precedents, tunable.root, tunable.knobs->space);
    }
    options.scope =
        whole_.scope + (variant.flags.name.empty()
                            ? tunable.name
                            : fmt::format("{} with {}", tunable.name, variant.flags.name));
    auto search = DispatchSearch::begin(bench_, tunable, options);
    if (!search && search.error().fault == Fault::user) {
      tunable.skipReason = search.error().message;  // the others may still gain
      continue;
    }
    tried_ += static_cast<std::int64_t>(options.planned.size());
    searches.push_back(HONE_TRY(std::move(search)));
  }
  HONE_CHECK(awaitBaselines(variant, searches));
  return searches;
}

Result<void> Tuner::awaitBaselines(Variant& variant,
                                   std::vector<std::unique_ptr<DispatchSearch>>& searches) {
  for (auto& search : searches) {
    const auto ready = search->ready();
    if (!ready && ready.error().fault != Fault::user) {
      return ready;
    }
    for (TunedDispatch& dispatch : variant.dispatches) {
      if (!ready && &dispatch.tunable == &search->tunable()) {
        dispatch.tunable.skipReason = ready.error().message;
      }
    }
    if (!ready) {
      search.reset();
    }
  }
  std::erase(searches, nullptr);
  return {};
}

Result<void> Tuner::searchAll(std::vector<std::unique_ptr<DispatchSearch>>& searches,
                              const Limit& limit) {
  if (searches.empty()) {
    return {};
  }
  bench_.progress.stage(
      fmt::format("searching {} dispatch{}", searches.size(), searches.size() == 1 ? "" : "es"),
      {.total = limit.trials.value_or(0), .done = tried_, .atMost = clock_.leftUntil(limit.time)});
  std::vector<DispatchSearch*> underWay;
  while (true) {
    while (underWay.size() < bench_.executor.places() && !clock_.spent(limit.time) &&
           trialsLeft(limit) > 0) {
      DispatchSearch* next = mostPromising(searches);
      if (next == nullptr) {
        break;
      }
      tried_ += static_cast<std::int64_t>(HONE_TRY(next->beginStep(trialsLeft(limit))));
      underWay.push_back(next);
    }
    if (underWay.empty()) {
      return {};
    }
    const std::size_t ended = HONE_TRY(awaitFirst(underWay));
    HONE_CHECK(underWay[ended]->endStep());
    underWay.erase(underWay.begin() + static_cast<std::ptrdiff_t>(ended));
  }
}

Result<std::size_t> Tuner::awaitFirst(const std::vector<DispatchSearch*>& underWay) const {
  std::vector<std::string> tickets;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < underWay.size(); ++i) {
    const auto some = underWay[i]->tickets();
    if (some.empty()) {
      return i;
    }
    tickets.insert(tickets.end(), some.begin(), some.end());
    owners.insert(owners.end(), some.size(), i);
  }
  return owners[HONE_TRY(bench_.executor.wait(tickets))];
}

Result<void> Tuner::tune(Variant& variant, const Limit& limit, TuneResult& result) {
  DispatchSelection wanted = options_.tunables;
  if (options_.onlyPlanned) {
    const auto names = std::views::keys(options_.planned);
    wanted.planned.emplace(names.begin(), names.end());
  }
  TunableFinder finder(bench_.compiler, target_, std::move(wanted));
  const auto folder = folder_ / fmt::format("variant{}", &variant - result.variants.data());
  HONE_CHECK(makeFolder(folder));
  auto tunables =
      HONE_TRY(finder.find(whole_, listFlags(variant), &bench_.runner, folder, &bench_.executor));
  for (TunableDispatch& tunable : tunables) {
    variant.dispatches.emplace_back().tunable = std::move(tunable);
  }
  auto searches = HONE_TRY(beginAll(variant, limit));
  HONE_CHECK(searchAll(searches, limit));
  for (const auto& search : searches) {  // submitted together: an executor may have several workers
    HONE_CHECK(search->beginFinish());
  }
  for (const auto& search : searches) {
    const auto dispatch =
        std::find_if(variant.dispatches.begin(), variant.dispatches.end(),
                     [&](const TunedDispatch& one) { return &one.tunable == &search->tunable(); });
    const auto findings = HONE_TRY(search->finish());
    result.referenceCpuNs += search->referenceCpuNs();
    dispatch->tried = search->tried();
    dispatch->failed = countFailures(findings);
    dispatch->defaultNs = findings.front().timeNs;
    dispatch->searchEnd = search->end();
    recordFinal(findings, *dispatch);
  }
  return {};
}

Result<TuneResult> Tuner::run() {
  TuneResult result;
  HONE_CHECK(findVariants(result));
  std::optional<Error> failed;
  std::size_t tuned = 0;
  for (std::size_t i = 0; i < result.variants.size(); ++i) {
    const Limit limit = computeLimit(i, result);
    if (layers_ && clock_.spent(limit.time)) {
      continue;  // extracting the dispatches of a model takes long
    }
    const auto done = tune(result.variants[i], limit, result);
    tuned += done ? 1 : 0;
    if (!done && done.error().isFatal()) {
      return std::unexpected(done.error());
    }
    if (!done) {
      failed = failed.value_or(done.error());
      reportVariantFailure(bench_.progress, whole_, result.variants[i], done.error());
    }
  }
  if (failed && tuned == 0) {
    return std::unexpected(*failed);
  }
  HONE_CHECK(proveVariants(bench_, target_, whole_, {options_.rounds, clock_.left()}, result));
  if (budgetForLayers_) {
    result.lost.push_back(
        fmt::format("the ways of the layers: not compiled in time; --budget {}m should suffice",
                    budgetForLayers_->count()));
  }
  bench_.progress.finish();
  return result;
}

}  // namespace hone::tune
