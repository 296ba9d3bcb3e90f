#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "iree/compile/toolchain/target.h"
#include "model/problem/problem.h"

namespace hone::profile {

/// A configuration for compiling an operation, named as in IREE's dispatch profiler: tile M x tile
/// N _ tile K x stages _ core class _ instruction class.
struct TuningConfig {
  std::string name;  ///< "tile_config_128x128_64x2_tensorcore_mmasync"
  std::string tile;  ///< "128x128_64x2"
  std::string coreClass;
  std::string instructionClass;
  std::string compilationInfo;    ///< attribute of the source's operation; "" for the default
  std::int64_t splitKSlices = 0;  ///< 0: not split

  bool operator==(const TuningConfig&) const = default;
};

/// Returns the compiler's default.
[[nodiscard]] TuningConfig defaultConfig();

/// Returns the configurations to try for a problem on a target: the compiler's default, then the
/// named configurations of the operation's knobs that fit the problem.
[[nodiscard]] Result<std::vector<TuningConfig>> tuningConfigs(iree::Compiler& compiler,
                                                              const iree::Target& target,
                                                              const model::Problem& problem);

}  // namespace hone::profile
