#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "iree/compile/target.h"
#include "model/problem/problem.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// A configuration that people know by its tile: one of those that an operation's knobs can have.
struct NamedConfig {
  std::string tile;              ///< "128x128_64x2"
  std::string coreClass;         ///< "tensorcore"; the pipeline where there are no matrix cores
  std::string instructionClass;  ///< "mmasync"
  std::string compilationInfo;   ///< the attribute for the operation, as MLIR text
};

/// Returns the known configurations that fit the problem on the target, from a fixed list for each
/// target. Empty for targets and problems without a list.
[[nodiscard]] Result<std::vector<NamedConfig>> namedConfigs(iree::Compiler& compiler,
                                                            const iree::Target& target,
                                                            const model::Problem& problem);

/// Returns the class of the instructions that the vector units work with: "fma" or, with integers,
/// "simd".
[[nodiscard]] std::string vectorInstruction(const model::RootOperation& root);

}  // namespace hone::knobs
