#include "tune/proof/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tune/proof/ablation.h"

namespace hone::tune {
namespace {

/// Enough to see what is slower for sure.
constexpr std::int64_t kFreshRounds = 10;
constexpr const char* kNoHelp = "did not help the program";

std::vector<std::size_t> allOf(const Recipe& recipe) {
  std::vector<std::size_t> all(recipe.ingredients.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// How long all experiments of a proof may take together.
struct Allowance {
  std::int64_t rounds;
  engine::BudgetClock clock;
};

/// What is tried on which program, and for how long.
struct Setting {
  const engine::TrialContext& bench;
  const WholeProgram& whole;
  const Allowance& allowance;
};

engine::Plan proofPlan(const Setting& setting, const std::string& scope) {
  engine::Plan plan = planFor(setting.whole, scope);
  plan.selects = false;
  plan.rounds = setting.allowance.rounds;
  plan.budget = setting.allowance.clock.left();
  return plan;
}

Result<void> addCandidate(engine::Plan& plan, const Recipe& recipe,
                          const std::vector<std::size_t>& ingredients, std::string name) {
  plan.candidates.push_back({0, HONE_TRY(recipe.configOf(ingredients))});
  plan.candidates.back().config.name = std::move(name);
  return {};
}

Result<std::vector<engine::Finding>> execute(const Setting& setting, const engine::Plan& plan) {
  return engine::Experiment(setting.bench).run(plan);
}

Proof proofOf(std::size_t recipe, std::vector<std::size_t> kept, const engine::Finding& before,
              const engine::Finding& after) {
  Proof proof;
  proof.recipe = recipe;
  proof.kept = std::move(kept);
  proof.config = after.config;
  proof.comparison = *after.comparison;
  proof.defaultNs = before.timeNs;
  proof.tunedNs = after.timeNs;
  return proof;
}

/// Leaves out each ablation in turn and takes out what does not help. What remains is proven anew.
Result<Proof> trimmed(const Setting& setting, const Recipe& recipe, Proof proof) {
  engine::Plan plan = proofPlan(setting, "leave one out");
  plan.candidates.push_back({0, proof.config});
  const auto ablations = ablationsFor(recipe, proof.kept);
  for (const Ablation& ablation : ablations) {
    HONE_CHECK(addCandidate(plan, recipe, without(proof.kept, ablation),
                            fmt::format("without {}", ablation.what.name)));
  }
  const auto findings = HONE_TRY(execute(setting, plan));
  std::vector<std::size_t> rest = proof.kept;
  std::vector<RemovedIngredient> removed;
  // Those that the budget left no time for are kept: as a whole the recipe is proven.
  for (std::size_t i = 0; i + 2 < findings.size(); ++i) {
    if (!helps(ablations[i].what, findings[1], findings[i + 2], plan.compare)) {
      rest = without(std::move(rest), ablations[i]);
      for (const std::size_t one : ablations[i].members) {
        removed.push_back({one, kNoHelp});
      }
    }
  }
  if (removed.empty()) {
    return proof;
  }
  engine::Plan again = proofPlan(setting, "proof of the rest");
  HONE_CHECK(addCandidate(again, recipe, rest, recipe.name));
  const auto proven = HONE_TRY(execute(setting, again));
  if (engine::winnerOf(proven) == nullptr) {
    return proof;  // they were needed after all
  }
  Proof less = proofOf(proof.recipe, std::move(rest), proven[0], proven[1]);
  if (less.comparison.speedup.high < proof.comparison.speedup.low) {
    return proof;  // together they gave something
  }
  less.removed = std::move(removed);
  return less;
}

/// The finding with this config, if it was tried.
const engine::Finding* findingOf(const std::vector<engine::Finding>& findings,
                                 const model::Config& config) {
  const auto found = std::find_if(
      findings.begin(), findings.end(),
      [&](const engine::Finding& finding) { return finding.config.key() == config.key(); });
  return found == findings.end() ? nullptr : &*found;
}

/// Whether a recipe as a whole is no better than the program with its flags alone.
bool isNoGain(const engine::Finding& finding, const engine::Finding* flagsAlone) {
  if (finding.outcome != model::Outcome::ok || !finding.comparison ||
      finding.comparison->verdict != stats::Verdict::improved) {
    return true;
  }
  return flagsAlone != nullptr && flagsAlone != &finding && flagsAlone->comparison &&
         flagsAlone->outcome == model::Outcome::ok &&
         finding.comparison->speedup.estimate < flagsAlone->comparison->speedup.estimate;
}

/// What is left of a recipe without those that fail or do not help.
struct Rest {
  std::size_t recipe = 0;
  std::vector<std::size_t> kept;
  std::vector<RemovedIngredient> removed;
};

/// Tries each ablation of a recipe alone. Why some are taken out is added to `lost`.
Result<Rest> eachAlone(const Setting& setting, std::span<const Recipe> recipes, std::size_t number,
                       std::vector<std::string>& lost) {
  const Recipe& recipe = recipes[number];
  engine::Plan plan = proofPlan(setting, fmt::format("{}, each alone", recipe.name));
  const model::Config flagsAlone = HONE_TRY(recipe.configOf({}));
  if (!flagsAlone.isBaseline()) {
    HONE_CHECK(addCandidate(plan, recipe, {}, "the flags alone"));
  }
  const std::size_t first = plan.candidates.size();
  const auto ablations = ablationsFor(recipe, allOf(recipe));
  for (const Ablation& ablation : ablations) {
    HONE_CHECK(
        addCandidate(plan, recipe, ablation.members, fmt::format("only {}", ablation.what.name)));
  }
  const auto findings = HONE_TRY(execute(setting, plan));
  Rest rest{number, {}, {}};
  if (findings.size() < first || findings[first - 1].outcome != model::Outcome::ok) {
    return rest;  // its flags fail, whatever the ingredients
  }
  for (std::size_t i = 0; i < ablations.size(); ++i) {
    const bool tried = first + i < findings.size();
    const bool ran = tried && findings[first + i].outcome == model::Outcome::ok;
    if (ran && helps(ablations[i].what, findings[first + i], findings[first - 1], plan.compare)) {
      rest.kept.insert(rest.kept.end(), ablations[i].members.begin(), ablations[i].members.end());
      continue;
    }
    const std::string why = ran     ? kNoHelp
                            : tried ? whyNoGain(findings[first + i])
                                    : "no time was left to try it alone";
    for (const std::size_t one : ablations[i].members) {
      rest.removed.push_back({one, why});
      lost.push_back(fmt::format("{} alone: {}", recipe.ingredients[one].name, why));
    }
  }
  std::sort(rest.kept.begin(), rest.kept.end());
  return rest;
}

/// Tries what is left of recipes that lost, beside the best so far; true where one of them is the
/// best now.
Result<bool> proveRests(const Setting& setting, std::span<const Recipe> recipes,
                        std::vector<Rest> rests, std::optional<Proof>& best) {
  if (rests.empty()) {
    return false;
  }
  engine::Plan plan = proofPlan(setting, "proof of what is left");
  for (const Rest& rest : rests) {
    const Recipe& recipe = recipes[rest.recipe];
    HONE_CHECK(addCandidate(plan, recipe, rest.kept, recipe.name));
  }
  if (best) {
    plan.candidates.push_back({0, best->config});
  }
  const auto findings = HONE_TRY(execute(setting, plan));
  const engine::Finding* winner = engine::winnerOf(findings);
  if (winner == nullptr) {
    return false;
  }
  const auto at = static_cast<std::size_t>(winner - findings.data());
  if (at > rests.size()) {
    return false;
  }
  Rest& rest = rests[at - 1];
  best = proofOf(rest.recipe, std::move(rest.kept), findings.front(), *winner);
  best->removed = std::move(rest.removed);
  return true;
}

/// Who does not keep memory between calls must not lose by what needs more of it: a sentence where
/// he does, else "".
Result<std::string> harmOnFreshMemory(const Setting& setting, const Proof& proof) {
  engine::Plan plan = proofPlan(setting, "proof on fresh memory");
  plan.memory = iree::Memory::fresh;
  plan.rounds = std::min(plan.rounds, kFreshRounds);
  plan.candidates.push_back({0, proof.config});
  const auto findings = HONE_TRY(execute(setting, plan));
  const auto& comparison = findings.back().comparison;
  if (findings.size() < 2 || !comparison || comparison->verdict != stats::Verdict::regressed) {
    return "";
  }
  return fmt::format("{}: slower where memory is not kept between calls: {:.2f}x as fast",
                     proof.config.name, comparison->speedup.estimate);
}

}  // namespace

Result<Proving> prove(const engine::TrialContext& bench, const WholeProgram& whole,
                      std::span<const Recipe> recipes, const ProofOptions& options) {
  const Allowance allowance{options.rounds, engine::BudgetClock(options.budget)};
  const Setting setting{bench, whole, allowance};
  engine::Plan plan = proofPlan(setting, "proof");
  for (const Recipe& recipe : recipes) {
    HONE_CHECK(addCandidate(plan, recipe, allOf(recipe), recipe.name));
  }
  const auto findings = HONE_TRY(execute(setting, plan));
  Proving proving;
  const engine::Finding* best = engine::winnerOf(findings);
  if (best != nullptr && best->against == engine::Against::nothing) {
    bench.progress.say("nothing is proven: the results of the program cannot be compared");
    return proving;
  }
  if (best != nullptr) {
    const auto recipe = static_cast<std::size_t>(best - findings.data()) - 1;
    proving.proof = proofOf(recipe, allOf(recipes[recipe]), findings.front(), *best);
  }
  std::vector<Rest> rests;
  for (std::size_t i = 0; i < recipes.size() && i + 1 < findings.size(); ++i) {
    const model::Config flagsAlone = HONE_TRY(recipes[i].configOf({}));
    if (!isNoGain(findings[i + 1], findingOf(findings, flagsAlone))) {
      continue;
    }
    proving.lost.push_back(fmt::format("{}: {}", recipes[i].name, whyNoGain(findings[i + 1])));
    if (recipes[i].ingredients.size() > 1) {
      Rest rest = HONE_TRY(eachAlone(setting, recipes, i, proving.lost));
      if (!rest.kept.empty() && !rest.removed.empty()) {
        rests.push_back(std::move(rest));
      }
    }
  }
  const bool isRest = HONE_TRY(proveRests(setting, recipes, std::move(rests), proving.proof));
  if (proving.proof && !isRest && proving.proof->kept.size() > 1) {
    const Recipe& recipe = recipes[proving.proof->recipe];
    proving.proof = HONE_TRY(trimmed(setting, recipe, std::move(*proving.proof)));
  }
  if (proving.proof) {
    const std::string harm = HONE_TRY(harmOnFreshMemory(setting, *proving.proof));
    if (!harm.empty()) {
      proving.lost.push_back(harm);
      proving.proof.reset();
    }
  }
  return proving;
}

}  // namespace hone::tune
