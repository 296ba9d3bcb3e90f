#include "tune/proof/spec_recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "iree/compile/constraints.h"
#include "iree/spec/spec_check.h"
#include "tune/program/script_file.h"
#include "tune/program/tune_result.h"

namespace hone::tune {
namespace {

/// Returns the expected saving of a winner, as a fraction of the program's time.
double expectedSaving(const TunedDispatch& dispatch) {
  return dispatch.tunable.share * (1 - 1 / dispatch.winner->comparison->speedup.estimate);
}

std::string commentFor(const TunedDispatch& dispatch, const iree::DispatchMatcher& matcher) {
  const stats::Interval& speedup = dispatch.winner->comparison->speedup;
  return fmt::format(
      "{}: {}; {:.2f}x as fast alone (95 % CI {:.2f}-{:.2f}), {:.0f} % of the program's time",
      dispatch.tunable.name, shown(matcher.matched), speedup.estimate, speedup.low, speedup.high,
      100 * dispatch.tunable.share);
}

/// Returns the indices of the winners, largest gain first.
std::vector<std::size_t> byGain(const std::vector<TunedDispatch>& dispatches) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < dispatches.size(); ++i) {
    if (dispatches[i].winner) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return expectedSaving(dispatches[a]) > expectedSaving(dispatches[b]);
  });
  return order;
}

/// Returns true if the dispatch did not get its configuration from the entry. Identical dispatches
/// may have been merged, so a missing name is not an error.
bool isMissing(const iree::SpecCheck& check, std::size_t entry, const std::string& dispatch) {
  const auto isUsedBy = [&](std::size_t one) {
    return std::ranges::any_of(check.entries[one].uses,
                               [&](const iree::SpecUse& use) { return use.dispatch == dispatch; });
  };
  bool there = std::ranges::find(check.untouched, dispatch) != check.untouched.end();
  for (std::size_t i = 0; i < check.entries.size() && !there; ++i) {
    there = isUsedBy(i);
  }
  return there && !isUsedBy(entry);
}

}  // namespace

Result<SpecRecipe> SpecRecipe::make(iree::Compiler& compiler, const iree::Target& target,
                                    const WholeProgram& whole, const FlagSet& flags,
                                    std::vector<TunedDispatch>& dispatches) {
  SpecRecipe recipe(target, flags);
  const auto order = byGain(dispatches);
  if (order.empty()) {
    return recipe;
  }
  iree::CompileRequest request = requestFor(whole, whole.flags);
  request.flags.insert(request.flags.end(), flags.flags.begin(), flags.flags.end());
  const auto matchers = HONE_TRY(iree::queryMatchers(compiler, request));
  std::vector<std::string> taken;  // matchers that have an entry
  for (const std::size_t number : order) {
    TunedDispatch& dispatch = dispatches[number];
    const auto matcher =
        std::find_if(matchers.begin(), matchers.end(), [&](const iree::DispatchMatcher& one) {
          return one.dispatch == dispatch.tunable.root.dispatch;
        });
    if (matcher == matchers.end() || matcher->matcher.empty()) {
      dispatch.note = matcher == matchers.end() ? "no matcher found" : matcher->failureReason;
      continue;
    }
    if (std::find(taken.begin(), taken.end(), matcher->matcher) != taken.end()) {
      dispatch.note = "a spec cannot distinguish it from a dispatch with a larger gain";
      continue;
    }
    taken.push_back(matcher->matcher);
    recipe.entries_.push_back(
        {{fmt::format("match_{}", dispatch.tunable.name), commentFor(dispatch, *matcher),
          matcher->matcher, dispatch.winner->config.attributes.front().value,
          iree::findDecompositionConfig(dispatch.winner->config),
          iree::findCompanions(dispatch.winner->config)},
         number,
         expectedSaving(dispatch),
         matcher->exact});
  }
  // Independent of measurements, so that a resumed run finds its trials.
  std::sort(recipe.entries_.begin(), recipe.entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(b.exact, a.spec.name) < std::tie(a.exact, b.spec.name);
  });
  return recipe;
}

Recipe SpecRecipe::recipe() const {
  Recipe recipe;
  recipe.name = entries_.empty()      ? flags_.name
                : flags_.name.empty() ? "tuned"
                                      : fmt::format("{} and tuned", flags_.name);
  for (const Entry& entry : entries_) {
    recipe.ingredients.push_back({entry.spec.name, entry.expectedGain});
  }
  recipe.buildConfig = [this](std::span<const std::size_t> entries) {
    return buildConfig(entries);
  };
  return recipe;
}

Result<std::string> SpecRecipe::text(std::span<const std::size_t> entries,
                                     Comments comments) const {
  if (entries.empty()) {
    return std::string();
  }
  std::vector<iree::SpecEntry> specs;
  for (const std::size_t entry : entries) {
    specs.push_back(entries_[entry].spec);
    if (comments == Comments::none) {
      specs.back().comment.clear();
    }
  }
  return iree::specText(specs);
}

Result<model::Config> SpecRecipe::buildConfig(std::span<const std::size_t> entries) const {
  model::Config config;
  config.flags = flags_.flags;
  // The file name is part of the trial's key, and comments contain measured shares: omit them.
  const std::string spec = HONE_TRY(text(entries, Comments::none));
  if (!spec.empty()) {
    const auto file = HONE_TRY(cacheScript(spec));
    config.flags.push_back(iree::specFlagFor(target_, file));
  }
  return config;
}

Result<std::vector<std::string>> SpecRecipe::findFaults(
    iree::Compiler& compiler, const WholeProgram& whole, std::span<const std::size_t> entries,
    const std::vector<TunedDispatch>& dispatches) const {
  std::vector<std::string> faults;
  const std::string spec = HONE_TRY(text(entries, Comments::none));
  if (spec.empty()) {
    return faults;
  }
  iree::CompileRequest request = requestFor(whole, whole.flags);
  request.flags.insert(request.flags.end(), flags_.flags.begin(), flags_.flags.end());
  const auto file = HONE_TRY(cacheScript(spec));
  const auto read = HONE_TRY(iree::readSpec(compiler, file));
  const auto check = HONE_TRY(iree::checkSpec(compiler, request, read));
  if (!check.refused.empty()) {
    faults.push_back(fmt::format("the compiler rejects the spec: {}", check.refused));
    return faults;
  }
  for (std::size_t i = 0; i < check.entries.size() && i < entries.size(); ++i) {
    const auto& meant = dispatches[entries_[entries[i]].dispatch].tunable.dispatches;
    const iree::EntryUse& entry = check.entries[i];
    if (entry.uses.empty()) {
      faults.push_back(fmt::format("@{} matches nothing", entry.entry));
    }
    for (const iree::SpecUse& use : entry.uses) {
      if (std::find(meant.begin(), meant.end(), use.dispatch) == meant.end()) {
        faults.push_back(fmt::format("@{} also applies to {}, for which it was not tuned",
                                     entry.entry, use.dispatch));
      } else if (!use.configured) {
        faults.push_back(
            fmt::format("@{} is not used by the compiler for {}", entry.entry, use.dispatch));
      }
    }
    for (const std::string& dispatch : meant) {
      if (!entry.uses.empty() && isMissing(check, i, dispatch)) {
        faults.push_back(
            fmt::format("@{} does not apply to {}, for which it was tuned", entry.entry, dispatch));
      }
    }
  }
  return faults;
}

void SpecRecipe::recordOutcome(std::span<const std::size_t> kept,
                               std::span<const RemovedIngredient> removed,
                               std::vector<TunedDispatch>& dispatches) const {
  for (const std::size_t entry : kept) {
    dispatches[entries_[entry].dispatch].inSpec = true;
  }
  for (const RemovedIngredient& one : removed) {
    dispatches[entries_[one.ingredient].dispatch].note = one.why;
  }
}

}  // namespace hone::tune
