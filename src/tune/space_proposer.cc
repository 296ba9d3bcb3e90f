#include "tune/space_proposer.h"

#include <fmt/format.h>

#include "base/text.h"

namespace hone::tune {

std::string pointName(const search::Space& space, std::size_t point) {
  std::string name;
  const auto values = space.point(point);
  for (std::size_t i = 0; i < values.size(); ++i) {
    name += fmt::format("{}{}={}", i == 0 ? "" : " ", space.knobs()[i].name, values[i]);
  }
  return name;
}

std::optional<std::size_t> pointNamed(const search::Space& space, std::string_view name) {
  std::map<std::string, std::int64_t, std::less<>> given;
  for (const std::string_view word : splitAt(name, ' ')) {
    const auto equals = word.find('=');
    const auto value = equals == std::string_view::npos
                           ? std::nullopt
                           : parseInt(word.substr(equals + 1));
    if (!value) {
      return std::nullopt;
    }
    given.emplace(word.substr(0, equals), *value);
  }
  std::vector<std::int64_t> values;
  for (const search::Knob& knob : space.knobs()) {
    const auto at = given.find(knob.name);
    if (at == given.end()) {
      return std::nullopt;
    }
    values.push_back(at->second);
  }
  return given.size() == values.size() ? space.find(values) : std::nullopt;
}

Result<std::vector<model::Config>> SpaceProposer::configsOf(
    std::span<const std::size_t> points) const {
  const auto infos = HONE_TRY(model_.compilationInfos(points));
  std::vector<model::Config> configs;
  for (std::size_t i = 0; i < points.size(); ++i) {
    configs.push_back({pointName(model_.space, points[i]),
                       {},
                       {{dispatch_, "", "compilation_info", infos[i]}}});
  }
  return configs;
}

Result<std::vector<model::Config>> SpaceProposer::propose(std::size_t count) {
  return configsOf(strategy_->ask(count));
}

void SpaceProposer::learn(const model::Config& config, std::optional<double> timeNs) {
  if (const auto point = pointNamed(model_.space, config.name)) {
    strategy_->tell(*point, timeNs);
  }
}

}  // namespace hone::tune
