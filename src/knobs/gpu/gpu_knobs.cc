#include "knobs/gpu/gpu_knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "knobs/gpu/gpu_cost.h"
#include "knobs/gpu/gpu_default.h"
#include "knobs/gpu/gpu_options.h"
#include "knobs/gpu/pipeline_space.h"
#include "knobs/gpu/promoted_copies.h"
#include "search/space/diverse.h"

namespace hone::knobs {
namespace {

/// Number of first points: the cheapest by the cost model, and the total with diverse points.
constexpr std::size_t kCheapestFirst = 12;
constexpr std::size_t kFirstGpuPoints = 32;
constexpr std::int64_t kAbsent = -1;
constexpr const char* kPipeline = "pipeline";

/// Knobs of one pipeline, with its legal points.
struct PipelineSpace {
  std::size_t number = 0;  ///< index among the dispatch's constraints
  search::Space space;
};

/// Returns the union of the knobs of all pipelines.
std::vector<search::Knob> mergedKnobs(std::span<const PipelineSpace> pipelines) {
  search::Knob pipeline{kPipeline, {}, false};
  std::vector<search::Knob> knobs;
  for (const PipelineSpace& one : pipelines) {
    pipeline.values.push_back(static_cast<std::int64_t>(one.number));
    for (const search::Knob& knob : one.space.knobs()) {
      const auto known = std::find_if(knobs.begin(), knobs.end(), [&](const search::Knob& other) {
        return other.name == knob.name;
      });
      if (known == knobs.end()) {
        knobs.push_back(knob);
        continue;
      }
      known->values.insert(known->values.end(), knob.values.begin(), knob.values.end());
      std::sort(known->values.begin(), known->values.end());
      known->values.erase(std::unique(known->values.begin(), known->values.end()),
                          known->values.end());
    }
  }
  knobs.insert(knobs.begin(), std::move(pipeline));
  return knobs;
}

search::Space merged(std::span<const PipelineSpace> pipelines) {
  std::vector<search::Knob> knobs = mergedKnobs(pipelines);
  std::vector<std::vector<std::int64_t>> points;
  for (const PipelineSpace& one : pipelines) {
    std::vector<std::size_t> places;
    for (const search::Knob& knob : one.space.knobs()) {
      const auto at = std::find_if(knobs.begin(), knobs.end(), [&](const search::Knob& other) {
        return other.name == knob.name;
      });
      places.push_back(static_cast<std::size_t>(at - knobs.begin()));
    }
    for (std::size_t p = 0; p < one.space.size(); ++p) {
      std::vector<std::int64_t> point(knobs.size(), kAbsent);
      point[0] = static_cast<std::int64_t>(one.number);
      for (std::size_t i = 0; i < places.size(); ++i) {
        point[places[i]] = one.space.point(p)[i];
      }
      points.push_back(std::move(point));
    }
  }
  for (std::size_t i = 1; i < knobs.size(); ++i) {
    const bool everywhere = std::none_of(points.begin(), points.end(),
                                         [&](const auto& point) { return point[i] == kAbsent; });
    if (!everywhere) {
      knobs[i].values.insert(knobs[i].values.begin(), kAbsent);
    }
  }
  return {std::move(knobs), std::move(points)};
}

iree::KnobAssignment makeAssignment(const search::Space& space, std::size_t point,
                                    std::span<const std::size_t> places) {
  iree::KnobAssignment assignment;
  const auto values = space.point(point);
  assignment.constraints = places[static_cast<std::size_t>(values[0])];
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] != kAbsent) {
      assignment.values.emplace(space.knobs()[i].name, values[i]);
    }
  }
  return assignment;
}

/// Converts points of a model to attributes.
struct Materializer {
  iree::Compiler* compiler = nullptr;
  iree::CompileRequest request;
  std::shared_ptr<const search::Space> space;
  std::vector<std::size_t> places;  ///< indices of the dispatch's constraints among all

  using Make = decltype(iree::compilationInfos);
  /// Calls `make` for the points, and adds the options that are not part of the constraints.
  [[nodiscard]] Result<std::vector<std::string>> attributes(
      Make* make, std::span<const std::size_t> points) const {
    std::vector<iree::KnobAssignment> assignments;
    for (const std::size_t point : points) {
      assignments.push_back(makeAssignment(*space, point, places));
    }
    auto texts = HONE_TRY(make(*compiler, request, assignments));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      texts[i] = make == iree::compilationInfos
                     ? HONE_TRY(withOptions(std::move(texts[i]), assignments[i].values))
                     : withPromotions(std::move(texts[i]), assignments[i].values);
    }
    return texts;
  }
};

std::vector<double> estimateCosts(const model::RootOperation& root,
                                  std::span<const iree::PipelineConstraints> own,
                                  const search::Space& space) {
  GpuCost cost(root, own, space);
  std::vector<double> costs;
  costs.reserve(space.size());
  for (std::size_t i = 0; i < space.size(); ++i) {
    costs.push_back(cost(space.point(i)));
  }
  return costs;
}

/// Returns the compiler's default, the cheapest points by the model, and diverse points.
std::vector<std::size_t> firstPoints(const model::RootOperation& root,
                                     std::span<const iree::PipelineConstraints> own,
                                     const search::Space& space, const std::vector<double>& costs) {
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (auto chosen = chosenByCompiler(own[i], root)) {
      chosen->emplace(kPipeline, static_cast<std::int64_t>(i));
      if (const auto point = nearestPoint(space, *chosen)) {
        first.push_back(*point);
      }
    }
  }
  search::addCheapest(space, costs, kCheapestFirst, first);
  for (const std::size_t point : search::diversePoints(space, kFirstGpuPoints, 1)) {
    if (first.size() < kFirstGpuPoints && std::count(first.begin(), first.end(), point) == 0) {
      first.push_back(point);
    }
  }
  return first;
}

}  // namespace

Result<KnobModel> gpuKnobs(iree::Compiler& compiler, const iree::CompileRequest& request,
                           std::span<const iree::PipelineConstraints> all,
                           const model::RootOperation& root, bool amd) {
  std::vector<PipelineSpace> pipelines;
  bool complete = true;
  std::vector<std::size_t> places;  // indices of the dispatch's constraints among all
  std::vector<iree::PipelineConstraints> own;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].dispatch != root.dispatch) {
      continue;
    }
    places.push_back(i);
    own.push_back(all[i]);
    const auto constraints = HONE_TRY(search::Constraints::parse(all[i].smtLib));
    search::Listing listing = HONE_TRY(listPipeline(all[i], constraints));
    complete = complete && listing.complete;
    search::Space space = withSharedCopies(std::move(listing.space), all[i], root);
    if (space.size() > 0) {
      pipelines.push_back({places.size() - 1, std::move(space)});
    }
  }
  if (places.empty()) {
    return userError("the compiler has no matrix instructions for this dispatch");
  }
  if (pipelines.empty()) {
    return userError("no configuration satisfies the compiler's constraints");
  }
  OptionSpace combined = withOptions(merged(pipelines), gpuOptionKnobs(amd, root.kind));
  complete = complete && combined.complete;
  search::Space space = std::move(combined.space);
  const auto costs = std::make_shared<const std::vector<double>>(estimateCosts(root, own, space));
  auto first = firstPoints(root, own, space, *costs);
  const Materializer make{&compiler, request, std::make_shared<search::Space>(space),
                          std::move(places)};
  KnobModel model{std::move(space),
                  [make](std::span<const std::size_t> points) {
                    return make.attributes(iree::compilationInfos, points);
                  },
                  [costs](std::size_t point) { return costs->at(point); }, std::move(first),
                  complete};
  if (root.kind == model::RootKind::attention) {
    model.decompositionConfigs = [make](std::span<const std::size_t> points) {
      return make.attributes(iree::decompositionConfigs, points);
    };
  }
  return model;
}

}  // namespace hone::knobs
