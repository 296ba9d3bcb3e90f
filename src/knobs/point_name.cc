#include "knobs/point_name.h"

#include <fmt/format.h>

#include <vector>

#include "model/result/knob_values.h"

namespace hone::knobs {

std::string pointName(const search::Space& space, std::size_t point) {
  std::string name;
  const auto values = space.point(point);
  for (std::size_t i = 0; i < values.size(); ++i) {
    name += fmt::format("{}{}={}", i == 0 ? "" : " ", space.knobs()[i].name, values[i]);
  }
  return name;
}

std::optional<std::size_t> findPointByName(const search::Space& space, std::string_view name) {
  const auto given = model::valuesNamed(name);
  if (!given || given->size() != space.knobs().size()) {
    return std::nullopt;
  }
  std::vector<std::int64_t> values;
  for (const search::Knob& knob : space.knobs()) {
    const auto at = given->find(knob.name);
    if (at == given->end()) {
      return std::nullopt;
    }
    values.push_back(at->second);
  }
  return space.find(values);
}

}  // namespace hone::knobs
