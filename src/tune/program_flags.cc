#include "tune/program_flags.h"

namespace hone::tune {

std::vector<FlagSet> flagSets(const iree::Target& target) {
  if (target.name != "local") {
    return {};
  }
  return {{"data tiling", {"--iree-opt-data-tiling"}, "packs operands of matmuls into tiles"}};
}

}  // namespace hone::tune
