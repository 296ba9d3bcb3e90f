#include "report/pages/tune/tune_knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/text/text.h"
#include "model/result/knob_values.h"
#include "stats/summary.h"

namespace hone::report {
namespace {

/// Timed candidates of a search with their knob values.
struct Candidates {
  std::vector<const store::Trial*> trials;
  std::vector<std::map<std::string, std::int64_t>> values;
  std::vector<double> speedups;
};

Candidates collectCandidateKnobs(const TuneSearch& search) {
  Candidates candidates;
  for (const store::Trial* trial : search.trials) {
    auto values = model::valuesNamed(trial->config.name);
    const double speedup = search.computeSpeedup(*trial);
    if (values && !std::isnan(speedup)) {
      candidates.trials.push_back(trial);
      candidates.values.push_back(std::move(*values));
      candidates.speedups.push_back(speedup);
    }
  }
  return candidates;
}

/// Returns the median speedup per value of a knob.
std::map<std::int64_t, double> medians(const Candidates& candidates, const std::string& knob) {
  std::map<std::int64_t, std::vector<double>> byValue;
  for (std::size_t i = 0; i < candidates.values.size(); ++i) {
    if (const auto value = candidates.values[i].find(knob); value != candidates.values[i].end()) {
      byValue[value->second].push_back(candidates.speedups[i]);
    }
  }
  std::map<std::int64_t, double> medians;
  for (const auto& [value, speedups] : byValue) {
    medians[value] = stats::median(speedups);
  }
  return medians;
}

/// Knobs of the timed candidates: those that vary, and the values of the others.
struct KnobGroups {
  std::vector<std::string> varied;
  std::vector<std::string> constant;  ///< "pipeline = 2"
};

KnobGroups groupKnobs(const TuneSearch& search, const Candidates& candidates) {
  KnobGroups groups;
  for (const std::string& knob : search.knobs) {
    std::set<std::optional<std::int64_t>> values;
    for (const auto& point : candidates.values) {
      const auto value = point.find(knob);
      values.insert(value == point.end() ? std::nullopt : std::optional(value->second));
    }
    if (values.size() > 1) {
      groups.varied.push_back(knob);
    } else if (*values.begin()) {
      groups.constant.push_back(fmt::format("{} = {}", knob, **values.begin()));
    }
  }
  return groups;
}

/// Returns "Constant: pipeline = 2, unroll = 1."; "" if all knobs vary.
std::string constantText(const KnobGroups& groups) {
  return groups.constant.empty() ? "" : fmt::format("Constant: {}.", join(groups.constant, ", "));
}

struct Effect {
  std::string knob;
  double ratio = 1;  ///< median speedup of the best value over the worst
};

Bars effectBars(const KnobGroups& groups, const Candidates& candidates) {
  std::vector<Effect> effects;
  for (const std::string& knob : groups.varied) {
    const auto byValue = medians(candidates, knob);
    if (byValue.size() < 2) {
      continue;
    }
    const auto [worst, best] = std::minmax_element(
        byValue.begin(), byValue.end(), [](auto& a, auto& b) { return a.second < b.second; });
    effects.push_back(
        {fmt::format("{} (best {})", knob, best->first), best->second / worst->second});
  }
  std::stable_sort(effects.begin(), effects.end(),
                   [](const Effect& a, const Effect& b) { return a.ratio > b.ratio; });
  Bars bars;
  bars.title = "Effect of each knob";
  bars.note =
      "Median speedup of the candidates with the best value of a knob, divided by that with its "
      "worst value. Knobs with long bars matter.";
  bars.value = {"best over worst value", "x", true};
  bars.base = 1;
  Bars::Group group;
  for (const Effect& effect : effects) {
    bars.names.push_back(effect.knob);
    group.values.push_back(effect.ratio);
  }
  bars.groups.push_back(std::move(group));
  return bars;
}

ParallelCoordinates coordinates(const TuneSearch& search, const KnobGroups& groups,
                                const Candidates& candidates) {
  ParallelCoordinates lines;
  lines.title = "Candidates by knob values";
  lines.note =
      "One line per candidate: stronger colours are faster, the thick line is the winner. Click a "
      "value to show only the lines through it.";
  if (const std::string constant = constantText(groups); !constant.empty()) {
    lines.note += " " + constant;
  }
  for (const std::string& name : groups.varied) {
    ParallelCoordinates::Knob knob;
    knob.axis = {name};
    for (const auto& values : candidates.values) {
      const auto value = values.find(name);
      knob.values.push_back(value == values.end() ? kNone : static_cast<double>(value->second));
    }
    lines.knobs.push_back(std::move(knob));
  }
  ParallelCoordinates::Knob& result = lines.knobs.emplace_back();
  result.axis = {"speedup in screening", "x"};
  result.values = candidates.speedups;
  const auto won =
      std::find_if(candidates.trials.begin(), candidates.trials.end(),
                   [&](const store::Trial* trial) { return trial->config.name == search.winner; });
  lines.winner = won == candidates.trials.end() ? -1 : won - candidates.trials.begin();
  return lines;
}

}  // namespace

void addKnobs(const std::vector<TuneSearch>& searches, Document& document) {
  Tabs tabs;
  for (const TuneSearch& search : searches) {
    const Candidates candidates = collectCandidateKnobs(search);
    if (candidates.trials.empty()) {
      continue;
    }
    const KnobGroups groups = groupKnobs(search, candidates);
    Parts parts;
    if (groups.varied.empty()) {
      parts.add(TextBlock{.title = "Knob values", .text = constantText(groups)});
    } else {
      parts.add(effectBars(groups, candidates));
      parts.add(coordinates(search, groups, candidates));
    }
    tabs.tabs.emplace_back(shortDispatch(search.scope), std::move(parts));
  }
  if (!tabs.tabs.empty()) {
    document.heading("Knobs");
    document.add(tabs);
  }
}

}  // namespace hone::report
