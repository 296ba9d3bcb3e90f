#include "tune/program/variant_proof.h"

#include <fmt/format.h>

#include "tune/program/program_times.h"
#include "tune/proof/spec_recipe.h"

namespace hone::tune {
namespace {

/// Measures the dispatches before and after, for display; leaves them empty if the device does not
/// support it.
Result<void> measureBeforeAfter(const engine::TrialContext& context, const WholeProgram& whole,
                                TuneResult& result) {
  const std::vector<model::Config> both = {model::Config{}, result.proof->config};
  auto times =
      programTimes({context.compiler, context.runner, &context.executor}, whole, whole.flags, both);
  if (!times && times.error().fault != Fault::user) {
    return std::unexpected(times.error());
  }
  if (times && times->size() == both.size() && !times->front().empty() && !times->back().empty()) {
    result.before = std::move(times->front());
    result.after = std::move(times->back());
  }
  return {};
}

/// Measures the default beside ONNX Runtime, if there is nothing else to prove.
Result<void> measureAlternative(const engine::TrialContext& context, const WholeProgram& whole,
                                const ProofOptions& options, TuneResult& result) {
  if (whole.program.model.empty()) {
    return {};
  }
  engine::Plan plan = planFor(whole, "alternative");
  plan.selects = false;
  plan.alternative = true;
  plan.rounds = options.rounds;
  plan.budget = options.budget;
  engine::Experiment experiment(context);
  HONE_CHECK(experiment.run(plan));
  result.alternative = experiment.alternative();
  return {};
}

}  // namespace

void reportVariantFailure(Progress& progress, const WholeProgram& whole, const Variant& variant,
                          const Error& error) {
  progress.say(fmt::format(
      "{}{}: dispatches not tuned: {}", whole.scope,
      variant.flags.name.empty() ? "without flags" : fmt::format("with {}", variant.flags.name),
      error.message));
}

Result<void> proveVariants(const engine::TrialContext& context, const iree::Target& target,
                           const WholeProgram& whole, const ProofOptions& options,
                           TuneResult& result) {
  std::vector<SpecRecipe> specs;
  std::vector<Recipe> recipes;
  std::vector<std::size_t> variantIndices;
  for (std::size_t v = 0; v < result.variants.size(); ++v) {
    Variant& variant = result.variants[v];
    auto made =
        SpecRecipe::make(context.compiler, target, whole, variant.flags, variant.dispatches);
    if (!made && made.error().isFatal()) {
      return std::unexpected(made.error());
    }
    if (!made) {
      reportVariantFailure(context.progress, whole, variant, made.error());
      std::vector<TunedDispatch> none;
      made = SpecRecipe::make(context.compiler, target, whole, variant.flags, none);
      HONE_CHECK(made);
    }
    SpecRecipe spec = std::move(*made);
    if (spec.empty() && variant.flags.flags.empty()) {
      continue;
    }
    if (!spec.empty() && !variant.flags.flags.empty()) {
      specs.push_back(spec.withoutEntries());
      variantIndices.push_back(v);
    }
    specs.push_back(std::move(spec));
    variantIndices.push_back(v);
  }
  for (const SpecRecipe& spec : specs) {
    recipes.push_back(spec.recipe());
  }
  if (recipes.empty()) {
    return measureAlternative(context, whole, options, result);
  }
  const engine::BudgetClock clock(options.budget);
  context.progress.say("measuring the winners on the whole program");
  ProofResult proving = HONE_TRY(prove(context, whole, recipes, options));
  result.proof = std::move(proving.proof);
  result.lost = std::move(proving.lost);
  result.alternative = std::move(proving.alternative);
  if (result.proof) {
    const SpecRecipe& spec = specs[result.proof->recipe];
    result.spec = HONE_TRY(spec.text(result.proof->kept));
    Variant& variant = result.variants[variantIndices[result.proof->recipe]];
    result.proof->recipe = variantIndices[result.proof->recipe];
    spec.recordOutcome(result.proof->kept, result.proof->removed, variant.dispatches);
    auto faults = spec.findFaults(context.compiler, whole, result.proof->kept, variant.dispatches);
    if (!faults && faults.error().fault != Fault::user) {
      return std::unexpected(faults.error());
    }
    result.specFaults = faults ? std::move(*faults) : std::vector{faults.error().message};
    return clock.spent(1) ? Result<void>() : measureBeforeAfter(context, whole, result);
  }
  return {};
}

}  // namespace hone::tune
