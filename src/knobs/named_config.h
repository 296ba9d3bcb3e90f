#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "iree/compile/toolchain/target.h"
#include "model/problem/problem.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// A configuration known by its tile. It is one of the points of the operation's knobs.
struct NamedConfig {
  std::string tile;              ///< "128x128_64x2"
  std::string coreClass;         ///< "tensorcore"; the pipeline name if there are no matrix cores
  std::string instructionClass;  ///< "mmasync"
  std::string compilationInfo;   ///< the attribute for the operation, as MLIR text
};

/// Returns the known configurations that fit the problem on the target, from a fixed list for each
/// target. Empty for targets and problems without a list.
[[nodiscard]] Result<std::vector<NamedConfig>> namedConfigs(iree::Compiler& compiler,
                                                            const iree::Target& target,
                                                            const model::Problem& problem);

/// Returns the instruction class of the vector units: "fma", or "simd" for integers.
[[nodiscard]] std::string vectorInstruction(const model::RootOperation& root);

}  // namespace hone::knobs
