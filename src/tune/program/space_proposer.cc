#include "tune/program/space_proposer.h"

#include <nlohmann/json.hpp>

#include "iree/compile/constraints.h"
#include "knobs/point_name.h"

namespace hone::tune {

Result<std::vector<model::Config>> SpaceProposer::makeConfigs(
    std::span<const std::size_t> points) const {
  const auto infos = HONE_TRY(model_.compilationInfos(points));
  const auto decompositions = model_.decompositionConfigs
                                  ? HONE_TRY(model_.decompositionConfigs(points))
                                  : std::vector<std::string>(points.size());
  const auto companions = model_.companionConfigs
                              ? model_.companionConfigs(points)
                              : std::vector<std::vector<knobs::CompanionConfig>>(points.size());
  std::vector<model::Config> configs;
  for (std::size_t i = 0; i < points.size(); ++i) {
    configs.push_back({knobs::pointName(model_.space, points[i]),
                       {},
                       {{dispatch_, "", "compilation_info", infos[i]}}});
    if (!decompositions[i].empty()) {
      configs.back().attributes.push_back(
          {dispatch_, "", iree::kDecompositionConfig, decompositions[i]});
    }
    for (const knobs::CompanionConfig& one : companions[i]) {
      configs.back().attributes.push_back(
          {dispatch_, one.op, iree::kLoweringConfig, one.loweringConfig});
    }
  }
  return configs;
}

Result<std::vector<model::Config>> SpaceProposer::propose(std::size_t count) {
  return makeConfigs(strategy_->ask(count));
}

model::ProposalNote SpaceProposer::noteOn(const model::Config& config) const {
  model::ProposalNote note;
  const auto point = knobs::findPointByName(model_.space, config.name);
  if (point && model_.guess) {
    note.guess = model_.guess(*point);
  }
  return note;
}

void SpaceProposer::learn(const model::Config& config, std::optional<double> timeNs) {
  if (const auto point = knobs::findPointByName(model_.space, config.name)) {
    strategy_->tell(*point, timeNs);
  }
}

}  // namespace hone::tune
