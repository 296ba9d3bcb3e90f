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

/// Last stage reached by a trial, with one time per round.
struct Rounds {
  Stage stage = Stage::screen;
  std::vector<double> timesNs;
};

using RoundsByTrial = std::unordered_map<std::int64_t, Rounds>;

RoundsByTrial collectRounds(std::span<const Trial> trials, const TrialTimes& times) {
  RoundsByTrial all;
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

/// Returns true for repetitions that only measure the noise. `split` and `kernel` mark them by
/// name.
bool isRepeated(const Trial& trial) {
  const std::string& name = trial.config.name;
  return isTwin(trial) || name.ends_with("(again)") || name.ends_with(", again");
}

/// Trials of one problem, of which the run chose one.
struct Group {
  std::string key;
  std::string label;
  std::vector<const Trial*> trials;
};

std::string withoutPrefix(const std::string& text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

bool isDefault(const store::Run& run, const Trial& trial) {
  if (run.command == "kernel") {
    return trial.details.turn == 0;
  }
  const std::string name = withoutPrefix(trial.config.name, "validate: ");
  return run.command == "split" ? name.starts_with("baseline") || name == "as it is"
                                : trial.config.isBaseline();
}

/// Returns true for references measured next to a kernel, which cannot be chosen.
bool isCompanion(const store::Run& run, const Trial& trial) {
  return run.command == "kernel" && !trial.details.kernel;
}

/// Returns the precedence of a `tune` scope for the whole program; 0 if it is about a dispatch.
int scopePrecedence(std::string_view scope) {
  constexpr std::array<std::string_view, 5> kWhole = {"flags", "more flags", "proof",
                                                      "proof of what is left", "proof of the rest"};
  const auto colon = scope.rfind(": ");
  const auto name = colon == std::string_view::npos ? scope : scope.substr(colon + 2);
  const auto at = std::find(kWhole.begin(), kWhole.end(), name);
  return at == kWhole.end() ? 0 : static_cast<int>(at - kWhole.begin()) + 1;
}

std::vector<Group> groupByScope(std::span<const Trial> trials) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> places;
  std::map<std::string, int> ranks;  ///< of the scope used for a program
  for (const Trial& trial : trials) {
    const std::string& scope = trial.details.scope;
    if (isRepeated(trial) || scope.ends_with("leave one out") || scope.ends_with("each alone")) {
      continue;
    }
    const int rank = scopePrecedence(scope);
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

std::vector<Group> groupByProblem(std::span<const Trial> trials) {
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

Measured toMeasured(const Trial& trial, RoundsByTrial& rounds) {
  return {.key = {},
          .label = {},
          .choice = {},
          .artifact = trial.artifact,
          .outcome = trial.outcome,
          .message = trial.message,
          .timesNs = rounds[trial.id].timesNs};
}

/// Returns the trial that the run kept: of those that reached the last stage, the fastest one if it
/// is clearly faster than the default, otherwise the default. Null if none was timed.
const Trial* findChoice(const store::Run& run, const Group& group, RoundsByTrial& rounds) {
  constexpr double kClearlyFaster = 0.99;
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
      if (best == nullptr || timeNs < bestNs * (isDefault(run, *best) ? kClearlyFaster : 1)) {
        best = trial;
        bestNs = timeNs;
      }
    }
  }
  return best;
}

/// Returns the accepted trial that reached the latest stage.
const Trial* findFurthest(const Group& group, RoundsByTrial& rounds, const auto& accepts) {
  const Trial* found = nullptr;
  for (const Trial* trial : group.trials) {
    if (accepts(*trial) &&
        (found == nullptr || rounds[trial->id].stage > rounds[found->id].stage)) {
      found = trial;
    }
  }
  return found;
}

void addGroup(std::vector<Measured>& all, const store::Run& run, const Group& group,
              RoundsByTrial& rounds) {
  const auto add = [&](const Trial* trial, const std::string& what, bool chosen) {
    if (trial == nullptr) {
      return;
    }
    Measured one = toMeasured(*trial, rounds);
    one.key = fmt::format("{}\n{}", group.key, what);
    one.label = fmt::format("{}: {}", group.label, what);
    one.choice = chosen ? withoutPrefix(trial->config.name, "validate: ") : "";
    all.push_back(std::move(one));
  };
  add(findFurthest(group, rounds, [&](const Trial& trial) { return isDefault(run, trial); }),
      "default", false);
  add(findChoice(run, group, rounds), "choice", true);
  add(findFurthest(group, rounds,
                   [&](const Trial& trial) {
                     return isCompanion(run, trial) && trial.config.name == "PyTorch";
                   }),
      "PyTorch", false);
}

/// Returns "matmul_64x64x64: tiles 8x8".
std::string candidateLabel(const Trial& trial) {
  const std::string name = makeLabel(trial);
  return name == trial.problem ? name : fmt::format("{}: {}", trial.problem, name);
}

std::string profileLabel(const Trial& trial, const std::string& provider) {
  const std::string configuration = withoutPrefix(trial.config.name, "tile_config_");
  return provider.empty() || provider == model::kIreeProvider
             ? fmt::format("{}: {}", trial.problem, configuration)
             : fmt::format("{}: {}", trial.problem, provider);
}

std::vector<Measured> collectCandidates(const store::Run& run, std::span<const Trial> trials,
                                        RoundsByTrial& rounds) {
  std::vector<Measured> all;
  std::map<std::string, int> times;  ///< uses per key: a candidate may be tried twice
  for (const Trial& trial : trials) {
    if (isRepeated(trial)) {
      continue;
    }
    Measured one = toMeasured(trial, rounds);
    if (run.command == "profile") {
      const std::string provider = trial.details.row ? trial.details.row->provider : "";
      one.key = fmt::format("{}\n{}\n{}", trial.problem, trial.config.name, provider);
      one.label = profileLabel(trial, provider);
    } else {
      // The settings identify a config; only configs without settings are identified by name.
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

std::vector<Measured> collectMeasured(const store::Run& run, std::span<const Trial> trials,
                                      const TrialTimes& times) {
  RoundsByTrial rounds = collectRounds(trials, times);
  if (run.command != "tune" && run.command != "split" && run.command != "kernel") {
    return collectCandidates(run, trials, rounds);
  }
  std::vector<Measured> all;
  for (const Group& group : run.command == "tune" ? groupByScope(trials) : groupByProblem(trials)) {
    addGroup(all, run, group, rounds);
  }
  return all;
}

}  // namespace hone::report
