#include "profile/tuning.h"

#include "knobs/named_config.h"
#include "model/result/summary/profile_row.h"

namespace hone::profile {

TuningConfig defaultConfig() {
  return {std::string(model::kDefaultConfiguration), "Default", "Default", "Default", "", 0};
}

Result<std::vector<TuningConfig>> tuningConfigs(iree::Compiler& compiler,
                                                const iree::Target& target,
                                                const model::Problem& problem) {
  std::vector<TuningConfig> configs = {defaultConfig()};
  for (knobs::NamedConfig& named : HONE_TRY(knobs::namedConfigs(compiler, target, problem))) {
    configs.push_back({.name = fmt::format("tile_config_{}_{}_{}", named.tile, named.coreClass,
                                           named.instructionClass),
                       .tile = std::move(named.tile),
                       .coreClass = std::move(named.coreClass),
                       .instructionClass = std::move(named.instructionClass),
                       .compilationInfo = std::move(named.compilationInfo)});
  }
  return configs;
}

}  // namespace hone::profile
