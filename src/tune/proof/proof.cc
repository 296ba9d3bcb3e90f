#include "tune/proof/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tune/proof/ablation.h"

namespace hone::tune {
namespace {

/// Enough rounds to detect a regression.
constexpr std::int64_t kFreshRounds = 10;
/// Whole programs compile slowly, and the budget is checked between batches.
constexpr std::size_t kProofBatch = 4;
constexpr const char* kNoHelp = "no gain on the whole program";

std::vector<std::size_t> allIngredients(const Recipe& recipe) {
  std::vector<std::size_t> all(recipe.ingredients.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Time limit of all experiments of a proof together.
struct ProofLimits {
  std::int64_t rounds = 0;
  engine::BudgetClock clock;
};

/// Context of the experiments of a proof.
struct ProofContext {
  const engine::TrialContext& bench;
  const WholeProgram& whole;
  const ProofLimits& limits;
};

engine::Plan proofPlan(const ProofContext& context, const std::string& scope) {
  engine::Plan plan = planFor(context.whole, scope);
  plan.selects = false;
  plan.rounds = context.limits.rounds;
  plan.batch = kProofBatch;
  plan.budget = context.limits.clock.left();
  return plan;
}

Result<void> addCandidate(engine::Plan& plan, const Recipe& recipe,
                          const std::vector<std::size_t>& ingredients, std::string name) {
  plan.candidates.push_back({0, HONE_TRY(recipe.buildConfig(ingredients))});
  plan.candidates.back().config.name = std::move(name);
  return {};
}

Result<std::vector<engine::Finding>> execute(const ProofContext& context,
                                             const engine::Plan& plan) {
  return engine::Experiment(context.bench).run(plan);
}

ProgramGain makeGain(const engine::Finding& before, const engine::Finding& after) {
  return {.comparison = *after.comparison, .defaultNs = before.timeNs, .tunedNs = after.timeNs};
}

Proof makeProof(std::size_t recipe, std::vector<std::size_t> kept, const engine::Finding& before,
                const engine::Finding& after) {
  Proof proof;
  proof.recipe = recipe;
  proof.kept = std::move(kept);
  proof.config = after.config;
  proof.gain = makeGain(before, after);
  return proof;
}

/// Performs a leave-one-out ablation and removes what does not help. The remaining recipe is
/// measured again.
Result<Proof> ablate(const ProofContext& context, const Recipe& recipe, Proof proof) {
  engine::Plan plan = proofPlan(context, "leave one out");
  plan.candidates.push_back({0, proof.config});
  const auto ablations = ablationsFor(recipe, proof.kept);
  for (const Ablation& ablation : ablations) {
    HONE_CHECK(addCandidate(plan, recipe, without(proof.kept, ablation),
                            fmt::format("without {}", ablation.what.name)));
  }
  const auto findings = HONE_TRY(execute(context, plan));
  std::vector<std::size_t> reduced = proof.kept;
  std::vector<RemovedIngredient> removed;
  // Untested ones are kept: the recipe as a whole is proven.
  for (std::size_t i = 0; i + 2 < findings.size(); ++i) {
    if (!helps(ablations[i].what, findings[1], findings[i + 2], plan.compare)) {
      reduced = without(std::move(reduced), ablations[i]);
      for (const std::size_t one : ablations[i].members) {
        removed.push_back({one, kNoHelp});
      }
    }
  }
  if (removed.empty()) {
    return proof;
  }
  engine::Plan again = proofPlan(context, "proof of the rest");
  HONE_CHECK(addCandidate(again, recipe, reduced, recipe.name));
  const auto proven = HONE_TRY(execute(context, again));
  if (engine::findWinner(proven) == nullptr) {
    return proof;  // the removed ones were needed
  }
  Proof less = makeProof(proof.recipe, std::move(reduced), proven[0], proven[1]);
  if (less.gain.comparison.speedup.high < proof.gain.comparison.speedup.low) {
    return proof;  // the removed ones had a combined effect
  }
  less.removed = std::move(removed);
  return less;
}

/// Returns the finding with this config; nullptr if it was not tried.
const engine::Finding* findFinding(const std::vector<engine::Finding>& findings,
                                   const model::Config& config) {
  const auto found = std::find_if(
      findings.begin(), findings.end(),
      [&](const engine::Finding& finding) { return finding.config.key() == config.key(); });
  return found == findings.end() ? nullptr : &*found;
}

/// Returns true if the recipe is not better than the program with its flags alone.
bool isNoGain(const engine::Finding& finding, const engine::Finding* flagsAlone) {
  if (finding.outcome != model::Outcome::ok || !finding.comparison ||
      finding.comparison->verdict != stats::Verdict::improved) {
    return true;
  }
  return flagsAlone != nullptr && flagsAlone != &finding && flagsAlone->comparison &&
         flagsAlone->outcome == model::Outcome::ok &&
         finding.comparison->speedup.estimate < flagsAlone->comparison->speedup.estimate;
}

/// A recipe without the ingredients that fail or do not help.
struct ReducedRecipe {
  std::size_t recipe = 0;
  std::vector<std::size_t> kept;
  std::vector<RemovedIngredient> removed;
};

/// Tests each ablation of a recipe alone. Adds the reason for each removal to `lost`.
Result<ReducedRecipe> testEachAlone(const ProofContext& context, std::span<const Recipe> recipes,
                                    std::size_t number, std::vector<std::string>& lost) {
  const Recipe& recipe = recipes[number];
  engine::Plan plan = proofPlan(context, fmt::format("{}, each alone", recipe.name));
  const model::Config flagsAlone = HONE_TRY(recipe.buildConfig({}));
  if (!flagsAlone.isBaseline()) {
    HONE_CHECK(addCandidate(plan, recipe, {}, "the flags alone"));
  }
  const std::size_t first = plan.candidates.size();
  const auto ablations = ablationsFor(recipe, allIngredients(recipe));
  for (const Ablation& ablation : ablations) {
    HONE_CHECK(
        addCandidate(plan, recipe, ablation.members, fmt::format("only {}", ablation.what.name)));
  }
  const auto findings = HONE_TRY(execute(context, plan));
  ReducedRecipe reduced{number, {}, {}};
  if (findings.size() < first || findings[first - 1].outcome != model::Outcome::ok) {
    return reduced;  // the flags alone fail
  }
  for (std::size_t i = 0; i < ablations.size(); ++i) {
    const bool tried = first + i < findings.size();
    const bool ran = tried && findings[first + i].outcome == model::Outcome::ok;
    if (ran && helps(ablations[i].what, findings[first + i], findings[first - 1], plan.compare)) {
      reduced.kept.insert(reduced.kept.end(), ablations[i].members.begin(),
                          ablations[i].members.end());
      continue;
    }
    const std::string why = ran     ? kNoHelp
                            : tried ? explainNoGain(findings[first + i])
                                    : "budget used up before it was tried alone";
    for (const std::size_t one : ablations[i].members) {
      reduced.removed.push_back({one, why});
      lost.push_back(fmt::format("{} alone: {}", recipe.ingredients[one].name, why));
    }
  }
  std::sort(reduced.kept.begin(), reduced.kept.end());
  return reduced;
}

/// Measures the reduced recipes against the best so far; returns true if one of them is the new
/// best.
Result<bool> proveReduced(const ProofContext& context, std::span<const Recipe> recipes,
                          std::vector<ReducedRecipe> reducedRecipes, std::optional<Proof>& best) {
  if (reducedRecipes.empty()) {
    return false;
  }
  engine::Plan plan = proofPlan(context, "proof of what is left");
  for (const ReducedRecipe& reduced : reducedRecipes) {
    const Recipe& recipe = recipes[reduced.recipe];
    HONE_CHECK(addCandidate(plan, recipe, reduced.kept, recipe.name));
  }
  if (best) {
    plan.candidates.push_back({0, best->config});
  }
  const auto findings = HONE_TRY(execute(context, plan));
  const engine::Finding* winner = engine::findWinner(findings);
  if (winner == nullptr) {
    return false;
  }
  const auto at = static_cast<std::size_t>(winner - findings.data());
  if (at > reducedRecipes.size()) {
    return false;
  }
  ReducedRecipe& reduced = reducedRecipes[at - 1];
  best = makeProof(reduced.recipe, std::move(reduced.kept), findings.front(), *winner);
  best->removed = std::move(reduced.removed);
  return true;
}

/// Measures the gain of the proven config for callers that do not keep memory between calls: it may
/// need more memory than the default. Returns nothing if the device makes no such difference.
Result<std::optional<ProgramGain>> measureOnFreshMemory(const ProofContext& context,
                                                        const Proof& proof) {
  if (!context.bench.runner.device().isLocal()) {
    return std::nullopt;
  }
  engine::Plan plan = proofPlan(context, "proof on fresh memory");
  plan.memory = iree::Memory::fresh;
  plan.rounds = std::min(plan.rounds, kFreshRounds);
  plan.candidates.push_back({0, proof.config});
  const auto findings = HONE_TRY(execute(context, plan));
  if (findings.size() < 2 || !findings.back().comparison) {
    return std::nullopt;
  }
  return makeGain(findings.front(), findings.back());
}

}  // namespace

Result<ProofResult> prove(const engine::TrialContext& bench, const WholeProgram& whole,
                          std::span<const Recipe> recipes, const ProofOptions& options) {
  const ProofLimits limits{options.rounds, engine::BudgetClock(options.budget)};
  const ProofContext context{bench, whole, limits};
  engine::Plan plan = proofPlan(context, "proof");
  for (const Recipe& recipe : recipes) {
    HONE_CHECK(addCandidate(plan, recipe, allIngredients(recipe), recipe.name));
  }
  plan.alternative = true;
  engine::Experiment experiment(bench);
  const auto findings = HONE_TRY(experiment.run(plan));
  ProofResult proving;
  proving.alternative = experiment.alternative();
  const engine::Finding* best = engine::findWinner(findings);
  if (best != nullptr && best->expectation == engine::Expectation::nothing) {
    bench.progress.say("no proof: the program's results cannot be compared");
    proving.lost.push_back(
        fmt::format("{}: the program's results cannot be compared", best->config.name));
    return proving;
  }
  if (best != nullptr) {
    const auto recipe = static_cast<std::size_t>(best - findings.data()) - 1;
    proving.proof = makeProof(recipe, allIngredients(recipes[recipe]), findings.front(), *best);
  }
  std::vector<ReducedRecipe> reducedRecipes;
  for (std::size_t i = 0; i < recipes.size() && i + 1 < findings.size(); ++i) {
    const model::Config flagsAlone = HONE_TRY(recipes[i].buildConfig({}));
    if (!isNoGain(findings[i + 1], findFinding(findings, flagsAlone))) {
      continue;
    }
    proving.lost.push_back(fmt::format("{}: {}", recipes[i].name, explainNoGain(findings[i + 1])));
    if (recipes[i].ingredients.size() > 1 && !limits.clock.spent(1)) {
      ReducedRecipe reduced = HONE_TRY(testEachAlone(context, recipes, i, proving.lost));
      if (!reduced.kept.empty() && !reduced.removed.empty()) {
        reducedRecipes.push_back(std::move(reduced));
      }
    }
  }
  const bool isReduced =
      HONE_TRY(proveReduced(context, recipes, std::move(reducedRecipes), proving.proof));
  if (proving.proof && !isReduced && proving.proof->kept.size() > 1 && !limits.clock.spent(1)) {
    const Recipe& recipe = recipes[proving.proof->recipe];
    proving.proof = HONE_TRY(ablate(context, recipe, std::move(*proving.proof)));
  }
  if (proving.proof) {
    proving.proof->freshMemoryGain = HONE_TRY(measureOnFreshMemory(context, *proving.proof));
    const auto& fresh = proving.proof->freshMemoryGain;
    if (fresh && fresh->comparison.verdict == stats::Verdict::regressed) {
      proving.lost.push_back(
          fmt::format("{}: slower if memory is not kept between calls ({:.2f}x as fast)",
                      proving.proof->config.name, fresh->comparison.speedup.estimate));
      proving.proof.reset();
    }
  }
  return proving;
}

}  // namespace hone::tune
