// The end of a tuner: what was found is proven on the whole program.
#include "tune/program/program_times.h"
#include "tune/program/tuner.h"
#include "tune/proof/spec_recipe.h"

namespace hone::tune {

Result<void> Tuner::proveAll(TuneResult& result) {
  std::vector<SpecRecipe> specs;
  std::vector<Recipe> recipes;
  std::vector<std::size_t> variantOf;
  for (std::size_t v = 0; v < result.variants.size(); ++v) {
    Variant& variant = result.variants[v];
    auto made =
        SpecRecipe::make(bench_.compiler, target_, whole_, variant.flags, variant.dispatches);
    if (!made && (made.error().fault != Fault::user || made.error().endsAll)) {
      return std::unexpected(made.error());
    }
    if (!made) {
      sayOf(variant, made.error());
      std::vector<TunedDispatch> none;
      made = SpecRecipe::make(bench_.compiler, target_, whole_, variant.flags, none);
      HONE_CHECK(made);
    }
    SpecRecipe spec = std::move(*made);
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
  Proving proving = HONE_TRY(prove(bench_, whole_, recipes, {options_.rounds, clock_.left()}));
  result.proof = std::move(proving.proof);
  result.lost = std::move(proving.lost);
  if (result.proof) {
    const SpecRecipe& spec = specs[result.proof->recipe];
    result.spec = HONE_TRY(spec.text(result.proof->kept));
    Variant& variant = result.variants[variantOf[result.proof->recipe]];
    result.proof->recipe = variantOf[result.proof->recipe];
    spec.mark(result.proof->kept, result.proof->takenOut, variant.dispatches);
    auto faults = spec.faultsOn(bench_.compiler, whole_, result.proof->kept, variant.dispatches);
    if (!faults && faults.error().fault != Fault::user) {
      return std::unexpected(faults.error());
    }
    result.specFaults = faults ? std::move(*faults) : std::vector{faults.error().message};
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
  auto before =
      programTimes(bench_.compiler, bench_.runner, whole_, requestFor(whole_, whole_.flags));
  auto after = programTimes(bench_.compiler, bench_.runner, whole_, tuned);
  for (const auto* times : {&before, &after}) {
    if (!*times && times->error().fault != Fault::user) {
      return std::unexpected(times->error());
    }
  }
  if (before && after && !before->empty() && !after->empty()) {
    result.before = std::move(*before);
    result.after = std::move(*after);
  }
  return {};
}

}  // namespace hone::tune
