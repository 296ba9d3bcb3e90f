#include "knobs/gpu/pipeline_space.h"

#include <set>

namespace hone::knobs {

Result<search::Listing> listPipeline(const iree::PipelineConstraints& constraints,
                                     const search::Constraints& parsed,
                                     const std::vector<std::string>& more) {
  std::vector<search::Knob> knobs;
  for (const iree::Knob& knob : constraints.knobs) {
    knobs.push_back({knob.name, {}, knob.options.empty()});
  }
  for (const std::string& variable : more) {
    knobs.push_back({variable, {}, true});
  }
  return search::listPoints(parsed, std::move(knobs));
}

std::vector<std::size_t> knobsAt(const search::Space& space,
                                 std::span<const iree::PipelineConstraints> constraints,
                                 const std::string& place) {
  std::set<std::string> names;
  for (const iree::PipelineConstraints& one : constraints) {
    for (const iree::Knob& knob : one.knobs) {
      if (knob.place == place) {
        names.insert(knob.name);
      }
    }
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < space.knobs().size(); ++i) {
    if (names.contains(space.knobs()[i].name)) {
      places.push_back(i);
    }
  }
  return places;
}

}  // namespace hone::knobs
