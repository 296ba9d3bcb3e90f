#include "tune/gpu_knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "search/diverse.h"
#include "search/listing.h"
#include "tune/gpu_options.h"

namespace hone::tune {
namespace {

/// How many points of a space without a guess are a good start.
constexpr std::size_t kFirst = 32;
constexpr std::int64_t kAbsent = -1;
constexpr const char* kPipeline = "pipeline";

/// The knobs of one pipeline with its legal points.
struct PipelineSpace {
  std::size_t number = 0;  ///< of the constraints in the program's list
  search::Space space;
};

/// All knobs of all pipelines, each once.
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

iree::KnobAssignment assignmentOf(const search::Space& space, std::size_t point) {
  iree::KnobAssignment assignment;
  const auto values = space.point(point);
  assignment.constraints = static_cast<std::size_t>(values[0]);
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] != kAbsent) {
      assignment.values.emplace(space.knobs()[i].name, values[i]);
    }
  }
  return assignment;
}

/// The configurations with what the constraints know nothing of.
Result<std::vector<std::string>> withGpuOptions(Result<std::vector<std::string>> infos,
                                                std::span<const iree::KnobAssignment> assignments) {
  for (std::size_t i = 0; infos && i < infos->size(); ++i) {
    (*infos)[i] = HONE_TRY(withOptions(std::move((*infos)[i]), assignments[i].values));
  }
  return infos;
}

}  // namespace

Result<KnobModel> gpuKnobs(iree::Compiler& compiler, const iree::CompileRequest& request,
                           std::span<const iree::PipelineConstraints> all,
                           const std::string& dispatch, bool amd) {
  std::vector<PipelineSpace> pipelines;
  bool complete = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].dispatch != dispatch) {
      continue;
    }
    const auto constraints = HONE_TRY(search::Constraints::parse(all[i].smtLib));
    std::vector<search::Knob> knobs;
    for (const iree::Knob& knob : all[i].knobs) {
      knobs.push_back({knob.name, {}, knob.options.empty()});
    }
    search::Listing listing = HONE_TRY(search::listPoints(constraints, std::move(knobs)));
    complete = complete && listing.complete;
    if (listing.space.size() > 0) {
      pipelines.push_back({i, std::move(listing.space)});
    }
  }
  if (pipelines.empty()) {
    return userError("the compiler offers no matrix instructions for it");
  }
  search::Space space = withOptions(merged(pipelines), gpuOptionKnobs(amd));
  auto first = search::diversePoints(space, kFirst, 1);
  auto shared = std::make_shared<search::Space>(space);
  return KnobModel{std::move(space),
                   [&compiler, request, shared](std::span<const std::size_t> points) {
                     std::vector<iree::KnobAssignment> assignments;
                     for (const std::size_t point : points) {
                       assignments.push_back(assignmentOf(*shared, point));
                     }
                     return withGpuOptions(iree::compilationInfos(compiler, request, assignments),
                                           assignments);
                   },
                   {},
                   std::move(first),
                   complete};
}

}  // namespace hone::tune
