#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "iree/compile/target.h"
#include "model/problem/problem.h"

namespace hone::profile {

/// One way to compile an operation, named as IREE's dispatch profiler named it: tile M x tile N _
/// tile K x stages _ core class _ instruction class.
struct TuningConfig {
  std::string name;  ///< "tile_config_128x128_64x2_tensorcore_mmasync"
  std::string tile;  ///< "128x128_64x2"
  std::string coreClass;
  std::string instructionClass;
  std::string compilationInfo;    ///< the attribute for the source's operation; "" for the default
  std::int64_t splitKSlices = 0;  ///< 0: not split

  bool operator==(const TuningConfig&) const = default;
};

/// The compiler's own choice.
[[nodiscard]] TuningConfig defaultConfig();

/// Returns the configurations to try for a problem on a target: the compiler's own choice first,
/// then the named ones of the operation's knobs that fit the problem.
[[nodiscard]] Result<std::vector<TuningConfig>> tuningConfigs(iree::Compiler& compiler,
                                                              const iree::Target& target,
                                                              const model::Problem& problem);

}  // namespace hone::profile
