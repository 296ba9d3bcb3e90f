#include "report/data/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "model/result/summary/profile_row.h"
#include "report/data/run_record.h"
#include "stats/summary.h"

namespace hone::report {
namespace {

using model::Outcome;
using model::Stage;
using store::Trial;

/// The last stage that a trial reached, with a time for every round of it.
struct Rounds {
  Stage stage = Stage::screen;
  std::vector<double> timesNs;
};

using RoundsOf = std::unordered_map<std::int64_t, Rounds>;

RoundsOf roundsOf(std::span<const Trial> trials, const TrialTimes& times) {
  RoundsOf all;
  for (const Trial& trial : trials) {
    for (const Stage stage : {Stage::final, Stage::race, Stage::screen}) {
      Rounds& rounds = all[trial.id];
      for (const auto& [round, ns] : times.rounds(trial.id, stage)) {
        rounds.timesNs.push_back(ns);
      }
      if (!rounds.timesNs.empty()) {
        rounds.stage = stage;
        break;
      }
    }
  }
  return all;
}

/// Measured only to learn how much a thing differs from itself; splits and kernels say so by name.
bool isRepeated(const Trial& trial) {
  const std::string& name = trial.config.name;
  return isTwin(trial) || name.ends_with("(again)") || name.ends_with(", again");
}

/// The trials of one problem, of which the run chose one.
struct Group {
  std::string key;
  std::string label;
  std::vector<const Trial*> trials;
};

std::string withoutPrefix(const std::string& text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

bool isDefault(const store::Run& run, const Trial& trial) {
  if (run.verb == "kernel") {
    return trial.details.turn == 0;
  }
  const std::string name = withoutPrefix(trial.config.name, "validate: ");
  return run.verb == "split" ? name.starts_with("baseline") || name == "as it is"
                             : trial.config.isBaseline();
}

/// Beside which a kernel is measured; nothing that could be chosen.
bool isCompanion(const store::Run& run, const Trial& trial) {
  return run.verb == "kernel" && !trial.details.kernel;
}

/// How much a scope of `tune` says about the whole program; 0: it is about a dispatch.
int rankOfScope(std::string_view scope) {
  constexpr std::array<std::string_view, 4> kWhole = {"flags", "proof", "proof of what is left",
                                                      "proof of the rest"};
  const auto colon = scope.rfind(": ");
  const auto name = colon == std::string_view::npos ? scope : scope.substr(colon + 2);
  const auto at = std::find(kWhole.begin(), kWhole.end(), name);
  return at == kWhole.end() ? 0 : static_cast<int>(at - kWhole.begin()) + 1;
}

std::vector<Group> scopesOf(std::span<const Trial> trials) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> places;
  std::map<std::string, int> ranks;  ///< of the scope that speaks for a program
  for (const Trial& trial : trials) {
    const std::string& scope = trial.details.scope;
    if (isRepeated(trial) || scope.ends_with("leave one out") || scope.ends_with("each alone")) {
      continue;
    }
    const int rank = rankOfScope(scope);
    const std::string key = rank > 0 ? fmt::format("{} as a whole", trial.problem) : scope;
    const auto [at, isNew] = places.try_emplace(key, groups.size());
    if (isNew) {
      groups.push_back({.key = key, .label = key, .trials = {}});
    }
    if (rank > ranks[key]) {
      groups[at->second].trials.clear();
    }
    if (rank >= ranks[key]) {
      ranks[key] = rank;
      groups[at->second].trials.push_back(&trial);
    }
  }
  return groups;
}

std::vector<Group> problemsOf(std::span<const Trial> trials) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> places;
  for (const Trial& trial : trials) {
    if (isRepeated(trial)) {
      continue;
    }
    const auto [at, isNew] = places.try_emplace(trial.problem, groups.size());
    if (isNew) {
      groups.push_back({.key = trial.problem, .label = trial.problem, .trials = {}});
    }
    groups[at->second].trials.push_back(&trial);
  }
  return groups;
}

Measured measuredFrom(const Trial& trial, RoundsOf& rounds) {
  return {.key = {},
          .label = {},
          .choice = {},
          .artifact = trial.artifact,
          .outcome = trial.outcome,
          .message = trial.message,
          .timesNs = rounds[trial.id].timesNs};
}

/// The trial with the least time among those that got furthest; the default where nothing is
/// clearly quicker, for then it is what stays.
const Trial* choiceOf(const store::Run& run, const Group& group, RoundsOf& rounds) {
  constexpr double kClearly = 0.99;
  Stage furthest = Stage::screen;
  const auto counts = [&](const Trial& trial) {
    return trial.outcome == Outcome::ok && !isCompanion(run, trial) &&
           !rounds[trial.id].timesNs.empty();
  };
  for (const Trial* trial : group.trials) {
    furthest = counts(*trial) ? std::max(furthest, rounds[trial->id].stage) : furthest;
  }
  const Trial* best = nullptr;
  double bestNs = 0;
  for (const bool defaults : {true, false}) {
    for (const Trial* trial : group.trials) {
      if (isDefault(run, *trial) != defaults || !counts(*trial) ||
          rounds[trial->id].stage != furthest) {
        continue;
      }
      const double timeNs = stats::median(rounds[trial->id].timesNs);
      if (best == nullptr || timeNs < bestNs * (isDefault(run, *best) ? kClearly : 1)) {
        best = trial;
        bestNs = timeNs;
      }
    }
  }
  return best;
}

/// The one of several trials that got furthest.
const Trial* furthestOf(const Group& group, RoundsOf& rounds, const auto& takes) {
  const Trial* found = nullptr;
  for (const Trial* trial : group.trials) {
    if (takes(*trial) && (found == nullptr || rounds[trial->id].stage > rounds[found->id].stage)) {
      found = trial;
    }
  }
  return found;
}

void addGroup(std::vector<Measured>& all, const store::Run& run, const Group& group,
              RoundsOf& rounds) {
  const auto add = [&](const Trial* trial, const std::string& what, bool chosen) {
    if (trial == nullptr) {
      return;
    }
    Measured one = measuredFrom(*trial, rounds);
    one.key = fmt::format("{}\n{}", group.key, what);
    one.label = fmt::format("{}: {}", group.label, what);
    one.choice = chosen ? withoutPrefix(trial->config.name, "validate: ") : "";
    all.push_back(std::move(one));
  };
  add(furthestOf(group, rounds, [&](const Trial& trial) { return isDefault(run, trial); }),
      "default", false);
  add(choiceOf(run, group, rounds), "choice", true);
  add(furthestOf(group, rounds,
                 [&](const Trial& trial) {
                   return isCompanion(run, trial) && trial.config.name == "PyTorch";
                 }),
      "PyTorch", false);
}

/// "matmul_64x64x64: tiles 8x8".
std::string candidateLabel(const Trial& trial) {
  const std::string name = labelOf(trial);
  return name == trial.problem ? name : fmt::format("{}: {}", trial.problem, name);
}

std::string profileLabel(const Trial& trial, const std::string& provider) {
  const std::string configuration = withoutPrefix(trial.config.name, "tile_config_");
  return provider.empty() || provider == model::kIreeProvider
             ? fmt::format("{}: {}", trial.problem, configuration)
             : fmt::format("{}: {}", trial.problem, provider);
}

std::vector<Measured> candidatesOf(const store::Run& run, std::span<const Trial> trials,
                                   RoundsOf& rounds) {
  std::vector<Measured> all;
  std::map<std::string, int> times;  ///< that a key was there: the same may be tried twice
  for (const Trial& trial : trials) {
    if (isRepeated(trial)) {
      continue;
    }
    Measured one = measuredFrom(trial, rounds);
    if (run.verb == "profile") {
      const std::string provider = trial.details.row ? trial.details.row->provider : "";
      one.key = fmt::format("{}\n{}\n{}", trial.problem, trial.config.name, provider);
      one.label = profileLabel(trial, provider);
    } else {
      // A config is what it does; only where it does nothing its name tells it from another.
      one.key = fmt::format("{}\n{}", trial.problem,
                            trial.config.isBaseline() ? trial.config.name : trial.config.key());
      one.label = candidateLabel(trial);
    }
    one.key += fmt::format("\n{}", times[one.key]++);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::vector<Measured> measuredOf(const store::Run& run, std::span<const Trial> trials,
                                 const TrialTimes& times) {
  RoundsOf rounds = roundsOf(trials, times);
  if (run.verb != "tune" && run.verb != "split" && run.verb != "kernel") {
    return candidatesOf(run, trials, rounds);
  }
  std::vector<Measured> all;
  for (const Group& group : run.verb == "tune" ? scopesOf(trials) : problemsOf(trials)) {
    addGroup(all, run, group, rounds);
  }
  return all;
}

}  // namespace hone::report
