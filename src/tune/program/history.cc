#include "tune/program/history.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "model/result/knob_values.h"

namespace hone::tune {
namespace {

constexpr std::int64_t kMaxRuns = 200;
constexpr std::size_t kMaxLikelyPoints = 4;

/// Returns the distance of two knob values in doublings; options are equal or not.
double valueDistance(std::int64_t a, std::int64_t b, bool ordered) {
  if (!ordered || a <= 0 || b <= 0) {
    return a == b ? 0 : 2;
  }
  return std::abs(std::log2(static_cast<double>(a) / static_cast<double>(b)));
}

std::optional<std::size_t> nearest(const search::Space& space, const std::string& name) {
  const auto wanted = model::valuesNamed(name);
  if (!wanted) {
    return std::nullopt;
  }
  std::optional<std::size_t> best;
  double bestDistance = 0;
  for (std::size_t p = 0; p < space.size(); ++p) {
    double distance = 0;
    for (std::size_t k = 0; k < space.knobs().size(); ++k) {
      const search::Knob& knob = space.knobs()[k];
      if (const auto value = wanted->find(knob.name); value != wanted->end()) {
        distance += valueDistance(space.point(p)[k], value->second, knob.ordered);
      }
    }
    if (!best || distance < bestDistance) {
      best = p;
      bestDistance = distance;
    }
  }
  return best;
}

}  // namespace

Result<History> readHistory(const store::Store& store, const store::Run& like) {
  History history;
  for (const store::RunLine& line : HONE_TRY(store.listRuns(kMaxRuns))) {
    if (line.command != "tune" || line.status != store::RunStatus::finished ||
        line.target != like.target) {
      continue;
    }
    const auto run = HONE_TRY(store.run(line.id));
    if (!run || run->cpu != like.cpu) {
      continue;
    }
    auto result = model::tuneResultFrom(nlohmann::json::parse(run->summary));
    if (!result) {  // other versions of hone may have written another format
      continue;
    }
    std::ranges::move(result->precedents, std::back_inserter(history.precedents));
    if (run->device != like.device || run->compilerRevision != like.compilerRevision) {
      continue;
    }
    for (const model::TunedProgram& program : result->programs) {
      for (const model::TunedLayer& layer : program.layers) {
        // With one time of several ways, the budget ended before they were compared.
        const std::size_t compared = std::min<std::size_t>(2, waysFor(layer.layer).size());
        if (wayFrom(layer.way) && layer.ns.size() >= compared) {
          history.layers.emplace(layer.layer.key(), layer);  // the newest run comes first
        }
      }
      if (program.proof && !program.variants.empty()) {
        ++history.flagGains[program.variants.front().name];
      }
    }
  }
  return history;
}

std::optional<double> distanceBetween(const model::RootOperation& a,
                                      const model::RootOperation& b) {
  if (a.kind != b.kind || a.loops.size() != b.loops.size() || a.inputs.size() != b.inputs.size()) {
    return std::nullopt;
  }
  double distance = 0;
  for (std::size_t i = 0; i < a.inputs.size(); ++i) {
    if (a.inputs[i].element != b.inputs[i].element || a.inputs[i].loops != b.inputs[i].loops) {
      return std::nullopt;
    }
  }
  for (std::size_t i = 0; i < a.loops.size(); ++i) {
    if (a.loops[i].reduction != b.loops[i].reduction) {
      return std::nullopt;
    }
    distance += valueDistance(a.loops[i].size, b.loops[i].size, true);
  }
  return distance;
}

std::vector<std::size_t> likelyPoints(const std::vector<Precedent>& precedents,
                                      const model::RootOperation& root,
                                      const search::Space& space) {
  std::vector<std::pair<double, const Precedent*>> alike;
  for (const Precedent& precedent : precedents) {
    if (const auto distance = distanceBetween(precedent.root, root)) {
      alike.emplace_back(*distance, &precedent);
    }
  }
  std::stable_sort(alike.begin(), alike.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::size_t> points;
  for (const auto& [distance, precedent] : alike) {
    const auto point = nearest(space, precedent->point);
    if (point && std::find(points.begin(), points.end(), *point) == points.end()) {
      points.push_back(*point);
    }
    if (points.size() == kMaxLikelyPoints) {
      break;
    }
  }
  return points;
}

}  // namespace hone::tune
