#include "profile/tuning_parts.h"

#include <algorithm>

namespace hone::profile {

TuningConfig tuningConfig(std::string tile, std::string coreClass, std::string instructionClass,
                          std::string compilationInfo) {
  std::string name = fmt::format("tile_config_{}_{}_{}", tile, coreClass, instructionClass);
  return {std::move(name), std::move(tile), std::move(coreClass), std::move(instructionClass),
          std::move(compilationInfo)};
}

std::string vectorInstruction(model::ElementType result) {
  return isFloat(result) ? "fma" : "simd";
}

bool takesTiles(const model::Conv& conv) {
  return conv.direction == model::ConvDirection::forward && conv.groups == 1 && conv.spatial == 2 &&
         std::min({conv.n, conv.outH(), conv.outW(), conv.k, conv.y, conv.x, conv.c}) > 1;
}

}  // namespace hone::profile
