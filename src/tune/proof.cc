#include "tune/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace hone::tune {
namespace {

/// So many ingredients are left out one at a time; more would take too long.
constexpr std::size_t kMostLeftOut = 8;
/// Fewer tell nothing.
constexpr std::size_t kFewestRounds = 5;

std::vector<std::size_t> allOf(const Recipe& recipe) {
  std::vector<std::size_t> all(recipe.ingredients.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<std::size_t> without(std::vector<std::size_t> all, std::size_t one) {
  std::erase(all, one);
  return all;
}

/// How long all experiments of a proof may take together.
struct Allowance {
  std::int64_t rounds;
  trial::BudgetClock clock;
};

trial::Plan proofPlan(const WholeProgram& whole, const std::string& scope,
                      const Allowance& allowance) {
  trial::Plan plan = planFor(whole, scope);
  plan.selects = false;
  plan.rounds = allowance.rounds;
  plan.budget = allowance.clock.left();
  return plan;
}

Result<std::vector<trial::Finding>> execute(const trial::Workbench& bench,
                                            const trial::Plan& plan) {
  trial::Experiment experiment(bench.compiler, bench.executor, bench.store, bench.progress,
                               bench.elsewhere);
  return experiment.run(bench.run, plan);
}

/// The ingredients whose own part is tried: those that should give the most.
std::vector<std::size_t> doubted(const Recipe& recipe, std::span<const std::size_t> kept) {
  std::vector<std::size_t> order(kept.begin(), kept.end());
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return recipe.ingredients[a].expectedGain > recipe.ingredients[b].expectedGain;
  });
  order.resize(std::min(order.size(), kMostLeftOut));
  std::sort(order.begin(), order.end());  // gains are measured anew when a run goes on
  return order;
}

Proof proofOf(std::size_t recipe, std::vector<std::size_t> kept, const trial::Finding& before,
              const trial::Finding& after) {
  Proof proof;
  proof.recipe = recipe;
  proof.kept = std::move(kept);
  proof.config = after.config;
  proof.comparison = *after.comparison;
  proof.defaultNs = before.timeNs;
  proof.tunedNs = after.timeNs;
  return proof;
}

/// The best recipe as a whole, if one is proven at all.
Result<std::optional<Proof>> bestWhole(const trial::Workbench& bench, const WholeProgram& whole,
                                       std::span<const Recipe> recipes,
                                       const Allowance& allowance) {
  trial::Plan plan = proofPlan(whole, "proof", allowance);
  for (const Recipe& recipe : recipes) {
    plan.candidates.push_back({0, HONE_TRY(recipe.configOf(allOf(recipe)))});
    plan.candidates.back().config.name = recipe.name;
  }
  const auto findings = HONE_TRY(execute(bench, plan));
  const trial::Finding* best = trial::winnerOf(findings);
  if (best == nullptr) {
    return std::nullopt;
  }
  if (best->against == trial::Against::nothing) {
    bench.progress.say("nothing is proven: the results of the program cannot be compared");
    return std::nullopt;
  }
  const auto recipe = static_cast<std::size_t>(best - findings.data()) - 1;
  return proofOf(recipe, allOf(recipes[recipe]), findings.front(), *best);
}

/// Leaves out each ingredient in turn and takes out what does not help. What remains is proven
/// anew.
Result<Proof> trimmed(const trial::Workbench& bench, const WholeProgram& whole,
                      const Recipe& recipe, Proof proof, const Allowance& allowance) {
  trial::Plan plan = proofPlan(whole, "leave one out", allowance);
  plan.candidates.push_back({0, proof.config});
  const auto doubts = doubted(recipe, proof.kept);
  for (const std::size_t one : doubts) {
    plan.candidates.push_back({0, HONE_TRY(recipe.configOf(without(proof.kept, one)))});
    plan.candidates.back().config.name = fmt::format("without {}", recipe.ingredients[one].name);
  }
  const auto findings = HONE_TRY(execute(bench, plan));
  // Those that the budget left no time for are kept: as a whole the recipe is proven.
  for (std::size_t i = 0; i + 2 < findings.size(); ++i) {
    if (!helps(recipe.ingredients[doubts[i]], findings[1], findings[i + 2], plan.compare)) {
      proof.takenOut.push_back(doubts[i]);
    }
  }
  if (proof.takenOut.empty()) {
    return proof;
  }
  std::vector<std::size_t> rest = proof.kept;
  for (const std::size_t one : proof.takenOut) {
    std::erase(rest, one);
  }
  trial::Plan again = proofPlan(whole, "proof of the rest", allowance);
  again.candidates.push_back({0, HONE_TRY(recipe.configOf(rest))});
  again.candidates.back().config.name = recipe.name;
  const auto proven = HONE_TRY(execute(bench, again));
  if (trial::winnerOf(proven) == nullptr) {
    proof.takenOut.clear();  // they were needed after all
    return proof;
  }
  Proof less = proofOf(proof.recipe, std::move(rest), proven[0], proven[1]);
  if (less.comparison.speedup.high < proof.comparison.speedup.low) {
    proof.takenOut.clear();  // together they gave something
    return proof;
  }
  less.takenOut = std::move(proof.takenOut);
  return less;
}

}  // namespace

bool helps(const Ingredient& ingredient, const trial::Finding& with, const trial::Finding& missing,
           const stats::CompareOptions& options) {
  const std::size_t rounds = std::min(with.roundTimesNs.size(), missing.roundTimesNs.size());
  // After a failure they are no longer times of the same rounds.
  const bool failed = with.outcome != model::Outcome::ok || missing.outcome != model::Outcome::ok;
  if (failed || rounds < kFewestRounds) {
    return true;
  }
  const auto base = std::span(missing.roundTimesNs).first(rounds);
  const auto comparison =
      stats::compare({base, std::span(with.roundTimesNs).first(rounds), base}, options);
  switch (comparison.verdict) {
    case stats::Verdict::improved:
      return true;
    case stats::Verdict::regressed:
      return false;
    default:
      return ingredient.expectedGain < 2 * options.margin ||
             comparison.speedup.high > 1 + options.margin;
  }
}

Result<std::optional<Proof>> prove(const trial::Workbench& bench, const WholeProgram& whole,
                                   std::span<const Recipe> recipes, const ProofOptions& options) {
  const Allowance allowance{options.rounds, trial::BudgetClock(options.budget)};
  auto best = HONE_TRY(bestWhole(bench, whole, recipes, allowance));
  if (!best || best->kept.size() < 2) {
    return best;
  }
  const Recipe& recipe = recipes[best->recipe];
  return HONE_TRY(trimmed(bench, whole, recipe, std::move(*best), allowance));
}

}  // namespace hone::tune
