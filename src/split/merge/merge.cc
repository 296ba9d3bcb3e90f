#include "split/merge/merge.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace hone::split {
namespace {

std::string listDevices(const std::vector<DeviceSweep>& sweeps) {
  std::vector<std::string> names;
  for (const DeviceSweep& one : sweeps) {
    names.push_back(one.device);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Returns the elements of the first set that all sets contain.
template <typename T>
std::set<T> intersect(const std::vector<std::set<T>>& sets) {
  std::set<T> common = sets.empty() ? std::set<T>() : sets.front();
  for (const std::set<T>& one : sets) {
    std::erase_if(common, [&](const T& element) { return !one.contains(element); });
  }
  return common;
}

template <typename T>
std::set<T> unite(const std::vector<std::set<T>>& sets) {
  std::set<T> all;
  for (const std::set<T>& one : sets) {
    all.insert(one.begin(), one.end());
  }
  return all;
}

/// Drops the times under other limits, and the shapes without any remaining one.
void keepLimits(SweepResult& sweep, const std::set<std::int64_t>& limits) {
  sweep.limits.assign(limits.begin(), limits.end());
  for (ShapeResult& shape : sweep.shapes) {
    std::erase_if(shape.limits, [&](const auto& timed) { return !limits.contains(timed.first); });
  }
  std::erase_if(sweep.shapes, [](const ShapeResult& shape) {
    return shape.limits.empty() || shape.reduction.sizes.empty();
  });
}

/// Keeps these shapes, ordered by their arguments, which is the same for every device.
void keepShapes(SweepResult& sweep, const std::set<std::string>& arguments) {
  std::erase_if(sweep.shapes,
                [&](const ShapeResult& shape) { return !arguments.contains(shape.arguments); });
  std::sort(sweep.shapes.begin(), sweep.shapes.end(),
            [](const ShapeResult& a, const ShapeResult& b) { return a.arguments < b.arguments; });
}

std::set<std::string> listArguments(const SweepResult& sweep) {
  std::set<std::string> arguments;
  for (const ShapeResult& shape : sweep.shapes) {
    arguments.insert(shape.arguments);
  }
  return arguments;
}

Regret regretUnder(const Heuristic& heuristic, const SweepResult& sweep) {
  std::vector<Prediction> predictions;
  for (const ShapeResult& shape : sweep.shapes) {
    if (shape.reduction.kind == heuristic.kind) {
      predictions.push_back({&shape, measuredUs(shape, chooseLimit(heuristic, shape.reduction))});
    }
  }
  return computeRegret(predictions);
}

Regret baselineRegret(const SweepResult& sweep, model::ReductionKind kind) {
  std::vector<Prediction> predictions;
  for (const ShapeResult& shape : sweep.shapes) {
    if (shape.reduction.kind == kind) {
      predictions.push_back(
          {&shape, shape.baseline ? std::optional(shape.baseline->timeUs()) : std::nullopt});
    }
  }
  return computeRegret(predictions);
}

}  // namespace

SweepResult MergedSweep::combined() const {
  SweepResult all;
  for (const DeviceSweep& one : devices) {
    all.limits = one.sweep.limits;
    for (ShapeResult shape : one.sweep.shapes) {
      shape.arguments += fmt::format(" [{}]", one.device);
      all.shapes.push_back(std::move(shape));
    }
    for (const std::string& failure : one.sweep.failures) {
      all.failures.push_back(fmt::format("{}: {}", one.device, failure));
    }
  }
  return all;
}

Result<MergedSweep> mergeSweeps(std::vector<DeviceSweep> sweeps) {
  MergedSweep merged;
  std::vector<std::set<std::int64_t>> limits;
  for (const DeviceSweep& one : sweeps) {
    limits.emplace_back(one.sweep.limits.begin(), one.sweep.limits.end());
  }
  const auto commonLimits = intersect(limits);
  if (commonLimits.empty()) {
    return userError("no limit was swept in all of {}; sweep the same limits on every device",
                     listDevices(sweeps));
  }
  for (const std::int64_t limit : unite(limits)) {
    if (!commonLimits.contains(limit)) {
      merged.omittedLimits.push_back(limit);
    }
  }
  std::vector<std::set<std::string>> all;
  std::vector<std::set<std::string>> timed;
  for (DeviceSweep& one : sweeps) {
    all.push_back(listArguments(one.sweep));
    keepLimits(one.sweep, commonLimits);
    timed.push_back(listArguments(one.sweep));
  }
  const auto commonShapes = intersect(timed);
  if (commonShapes.empty()) {
    return userError("no shape was measured in all of {}; sweep the same workload on every device",
                     listDevices(sweeps));
  }
  merged.omittedShapes = std::ssize(unite(all)) - std::ssize(commonShapes);
  for (DeviceSweep& one : sweeps) {
    keepShapes(one.sweep, commonShapes);
  }
  merged.devices = std::move(sweeps);
  return merged;
}

MergedAnalysis analyzeMerged(MergedSweep merged) {
  MergedAnalysis analysis;
  analysis.all = analyze(merged.combined());
  std::vector<std::vector<Recommendation>> own;
  for (const DeviceSweep& one : merged.devices) {
    analysis.rankings.push_back(rankLimits(one.sweep));
    own.push_back(recommend(one.sweep, SourceForm::functions));
  }
  for (const Recommendation& one : analysis.all.recommendations) {
    const Heuristic& heuristic = one.taken().heuristic;
    if (heuristic.form != SourceForm::functions) {
      continue;  // equivalent
    }
    for (std::size_t i = 0; i < merged.devices.size(); ++i) {
      const DeviceSweep& device = merged.devices[i];
      const auto alone = std::find_if(own[i].begin(), own[i].end(), [&](const Recommendation& its) {
        return its.taken().heuristic.kind == heuristic.kind;
      });
      analysis.regrets.push_back({.device = device.device,
                                  .kind = heuristic.kind,
                                  .merged = regretUnder(heuristic, device.sweep),
                                  .own = alone == own[i].end()
                                             ? Regret{}
                                             : regretUnder(alone->taken().heuristic, device.sweep),
                                  .baseline = baselineRegret(device.sweep, heuristic.kind)});
    }
  }
  analysis.merged = std::move(merged);
  return analysis;
}

}  // namespace hone::split
