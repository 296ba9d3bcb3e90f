#include "tune/tuner.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/machine.h"
#include "base/text.h"
#include "trial/elsewhere.h"
#include "tune/program_times.h"
#include "tune/spec_recipe.h"

namespace hone::tune {
namespace {

/// Fractions of the budget after which a stage ends: flags, and the search under each variant.
constexpr double kFlagShare = 0.15;
constexpr double kSearchShare = 0.6;
constexpr std::int64_t kFlagRounds = 10;
/// Flags that gain more than this leave nothing to search without them.
constexpr double kFarAhead = 3;

std::size_t failedOf(const std::vector<trial::Finding>& findings) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [](const trial::Finding& finding) {
        return finding.outcome != model::Outcome::ok && finding.outcome != model::Outcome::tooSlow;
      }));
}

/// The one that is worth the next step; nullptr where all are done or under way.
DispatchSearch* mostPromising(const std::vector<std::unique_ptr<DispatchSearch>>& searches) {
  DispatchSearch* next = nullptr;
  for (const auto& search : searches) {
    if (!search->done() && !search->underWay() &&
        (next == nullptr || search->promise() > next->promise())) {
      next = search.get();
    }
  }
  return next;
}

}  // namespace

Result<Tuner> Tuner::make(const trial::Workbench& bench, iree::Target target, WholeProgram whole,
                          TuneOptions options, std::filesystem::path folder) {
  auto known = HONE_TRY(precedents(bench.store, target.name, cpuName()));
  return Tuner(bench, std::move(target), std::move(whole), std::move(options), std::move(folder),
               std::move(known));
}

std::vector<std::string> Tuner::flagsOf(const Variant& variant) const {
  std::vector<std::string> flags = whole_.flags;
  flags.insert(flags.end(), variant.flags.flags.begin(), variant.flags.flags.end());
  return flags;
}

bool Tuner::trialsSpent() const {
  return options_.budget.trials && tried_ >= *options_.budget.trials;
}

Result<void> Tuner::findVariants(TuneResult& result) {
  result.variants.emplace_back();
  // Most flags act before the phase that a dispatch of a benchmark file has been brought to.
  const bool tryFlags = options_.tryFlags && whole_.program.from == iree::kPhaseStart;
  std::vector<FlagSet> sets = tryFlags ? flagSets(target_) : std::vector<FlagSet>();
  if (sets.empty()) {
    return {};
  }
  bench_.progress.say("flags of the whole program");
  trial::Plan plan = planFor(whole_, "flags");
  plan.onlyGains = true;
  plan.rounds = kFlagRounds;
  if (options_.budget.time) {
    plan.budget.time = std::chrono::milliseconds(
        static_cast<std::int64_t>(static_cast<double>(options_.budget.time->count()) * kFlagShare));
  }
  for (FlagSet& set : sets) {
    set = HONE_TRY(withScript(std::move(set)));
    plan.candidates.push_back({0, {set.name, set.flags, {}}});
  }
  trial::Experiment experiment(bench_.compiler, bench_.executor, bench_.store, bench_.progress,
                               bench_.elsewhere);
  result.flagFindings = HONE_TRY(experiment.run(bench_.run, plan));
  result.referenceCpuNs += experiment.referenceCpuNs();
  if (const trial::Finding* best = trial::winnerOf(result.flagFindings)) {
    const auto set = std::find_if(sets.begin(), sets.end(), [&](const FlagSet& one) {
      return one.name == best->config.name;
    });
    if (best->comparison && best->comparison->speedup.low > kFarAhead) {
      result.variants.clear();
    }
    result.variants.insert(result.variants.begin(), Variant{*set, {}});
  }
  return {};
}

Result<std::vector<std::unique_ptr<DispatchSearch>>> Tuner::beginAll(Variant& variant) {
  std::vector<std::unique_ptr<DispatchSearch>> searches;
  for (TunedDispatch& dispatch : variant.dispatches) {
    Subject& subject = dispatch.subject;
    const auto planned = options_.planned.find(subject.name);
    if (options_.onlyPlanned) {
      subject.knobs.reset();
      subject.whyNot = planned == options_.planned.end() ? "no candidates were made for it" : "";
    }
    if (!subject.whyNot.empty()) {
      continue;
    }
    SearchOptions options;
    if (planned != options_.planned.end()) {
      options.planned = planned->second;
    }
    options.strategy = options_.strategy;
    options.seed = whole_.seed;
    options.flags = flagsOf(variant);
    options.inputSpecs = options_.inputSpecs;
    options.budget = clock_.left();
    if (subject.knobs) {
      options.first = likelyPoints(precedents_, subject.root, subject.knobs->space);
    }
    options.scope =
        whole_.scope + (variant.flags.name.empty()
                            ? subject.name
                            : fmt::format("{} with {}", subject.name, variant.flags.name));
    auto search = DispatchSearch::begin(bench_, subject, options);
    if (!search && search.error().fault == Fault::user) {
      subject.whyNot = search.error().message;  // the others may still gain
      continue;
    }
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
      if (!ready && &dispatch.subject == &search->subject()) {
        dispatch.subject.whyNot = ready.error().message;
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
                              double until) {
  bench_.progress.stage(fmt::format("search of {} dispatches", searches.size()),
                        {.total = options_.budget.trials.value_or(0),
                         .done = tried_,
                         .atMost = clock_.leftUntil(until)});
  const std::size_t places = bench_.elsewhere == nullptr ? 1 : bench_.elsewhere->places();
  std::vector<DispatchSearch*> underWay;
  while (true) {
    while (underWay.size() < places && !clock_.spent(until) && !trialsSpent()) {
      DispatchSearch* next = mostPromising(searches);
      if (next == nullptr) {
        break;
      }
      const std::size_t before = next->tried();
      HONE_CHECK(next->beginStep());
      tried_ += static_cast<std::int64_t>(next->tried() - before);
      underWay.push_back(next);
    }
    if (underWay.empty()) {
      return {};
    }
    const std::size_t ended = HONE_TRY(firstToEnd(underWay));
    HONE_CHECK(underWay[ended]->endStep());
    underWay.erase(underWay.begin() + static_cast<std::ptrdiff_t>(ended));
  }
}

Result<std::size_t> Tuner::firstToEnd(const std::vector<DispatchSearch*>& underWay) const {
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
  return owners[HONE_TRY(bench_.elsewhere->any(tickets))];
}

Result<void> Tuner::tune(Variant& variant, double until, TuneResult& result) {
  SubjectFinder finder(bench_.compiler, target_, options_.subjects);
  const auto folder = folder_ / fmt::format("variant{}", &variant - result.variants.data());
  HONE_CHECK(makeFolder(folder));
  auto subjects =
      HONE_TRY(finder.find(whole_, flagsOf(variant), &bench_.executor, folder, bench_.elsewhere));
  for (Subject& subject : subjects) {
    variant.dispatches.emplace_back().subject = std::move(subject);
  }
  auto searches = HONE_TRY(beginAll(variant));
  HONE_CHECK(searchAll(searches, until));
  if (bench_.elsewhere != nullptr) {  // all at the same time
    for (const auto& search : searches) {
      HONE_CHECK(search->beginFinish());
    }
  }
  for (const auto& search : searches) {
    if (bench_.elsewhere == nullptr) {
      HONE_CHECK(search->beginFinish());
    }
    const auto dispatch =
        std::find_if(variant.dispatches.begin(), variant.dispatches.end(),
                     [&](const TunedDispatch& one) { return &one.subject == &search->subject(); });
    const auto findings = HONE_TRY(search->finish());
    result.referenceCpuNs += search->referenceCpuNs();
    dispatch->tried = search->tried();
    dispatch->failed = failedOf(findings);
    dispatch->defaultNs = findings.front().timeNs;
    if (const trial::Finding* winner = trial::winnerOf(findings)) {
      dispatch->winner = *winner;
    }
  }
  return {};
}

Result<void> Tuner::proveAll(TuneResult& result) {
  std::vector<SpecRecipe> specs;
  std::vector<Recipe> recipes;
  std::vector<std::size_t> variantOf;
  for (std::size_t v = 0; v < result.variants.size(); ++v) {
    Variant& variant = result.variants[v];
    SpecRecipe spec = HONE_TRY(
        SpecRecipe::make(bench_.compiler, target_, whole_, variant.flags, variant.dispatches));
    if (spec.empty() && variant.flags.flags.empty()) {
      continue;
    }
    if (!spec.empty() && !variant.flags.flags.empty()) {
      specs.push_back(spec.withoutEntries());
      variantOf.push_back(v);
    }
    specs.push_back(std::move(spec));
    variantOf.push_back(v);
  }
  for (const SpecRecipe& spec : specs) {
    recipes.push_back(spec.recipe());
  }
  if (recipes.empty()) {
    return {};
  }
  bench_.progress.say("proof on the whole program");
  result.proof = HONE_TRY(prove(bench_, whole_, recipes, {options_.rounds, clock_.left()}));
  if (result.proof) {
    const SpecRecipe& spec = specs[result.proof->recipe];
    result.spec = HONE_TRY(spec.text(result.proof->kept));
    Variant& variant = result.variants[variantOf[result.proof->recipe]];
    result.proof->recipe = variantOf[result.proof->recipe];
    spec.mark(result.proof->kept, result.proof->takenOut, variant.dispatches);
    return timeBoth(result);
  }
  return {};
}

Result<void> Tuner::timeBoth(TuneResult& result) {
  if (bench_.elsewhere != nullptr) {
    return {};  // two units, maybe on two nodes: nothing to compare
  }
  iree::CompileRequest tuned = requestFor(whole_, whole_.flags);
  const model::Config& config = result.proof->config;
  tuned.flags.insert(tuned.flags.end(), config.flags.begin(), config.flags.end());
  tuned.attributes = config.attributes;
  tuned.route = config.attributes.empty() ? iree::CompileRequest::Route::whole
                                          : iree::CompileRequest::Route::shared;
  auto before = programTimes(bench_.compiler, bench_.executor, whole_,
                             requestFor(whole_, whole_.flags), bench_.elsewhere);
  auto after = programTimes(bench_.compiler, bench_.executor, whole_, tuned, bench_.elsewhere);
  for (const auto* times : {&before, &after}) {
    if (!*times && times->error().fault != Fault::user) {
      return std::unexpected(times->error());
    }
  }
  if (before && after) {
    result.before = std::move(*before);
    result.after = std::move(*after);
  }
  return {};
}

Result<TuneResult> Tuner::run() {
  TuneResult result;
  HONE_CHECK(findVariants(result));
  const double begin = result.flagFindings.empty() ? 0 : kFlagShare;
  const auto variants = static_cast<double>(result.variants.size());
  for (std::size_t i = 0; i < result.variants.size(); ++i) {
    const double until = begin + (kSearchShare - begin) * static_cast<double>(i + 1) / variants;
    HONE_CHECK(tune(result.variants[i], until, result));
  }
  HONE_CHECK(proveAll(result));
  bench_.progress.finish();
  return result;
}

}  // namespace hone::tune
