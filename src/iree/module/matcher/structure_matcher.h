#pragma once

#include <optional>
#include <string>
#include <vector>

#include "iree/module/compiler_api.h"
#include "iree/module/matcher/matched.h"
#include "iree/module/matcher/operation_form.h"

namespace hone::iree {

/// Returns the indexing maps of a linalg or linalg_ext operation as MLIR text; "" for others.
[[nodiscard]] std::string printMaps(const CompilerApi& api, MlirOperation operation);

/// Returns the indexing maps of an operation, one per operand; empty if it has none.
[[nodiscard]] std::vector<std::string> mapTexts(const CompilerApi& api, MlirOperation operation);

/// The structure of a contraction, convolution or attention.
struct OperationStructure {
  std::string kind;
  std::vector<LoopRole> roles;
};
/// Describes the structure of an operation. Returns nothing for other operations.
[[nodiscard]] std::optional<OperationStructure> describeStructure(const CompilerApi& api,
                                                                  MlirOperation operation);

/// Builds a structural matcher of the compiler for a contraction, convolution or attention with
/// static loops. Returns nothing for other operations.
[[nodiscard]] std::optional<OperationMatcher> matchStructure(const CompilerApi& api,
                                                             MlirOperation operation);

}  // namespace hone::iree
