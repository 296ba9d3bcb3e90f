#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/import/onnx_import.h"

namespace hone::iree {

/// A model in which some operators are replaced by their definitions in other operators.
struct ExpandedModel {
  ImportedModel model;
  std::vector<std::string> definable;          ///< operators of the original that have a definition
  std::map<std::string, std::string> domains;  ///< by operator, of those that are not ONNX's own
};

/// Replaces the operators by their definitions, and imports the model like importOnnx().
[[nodiscard]] Result<ExpandedModel> importExpanded(Compiler& compiler, const ModelSource& source,
                                                   const std::vector<std::string>& operators);

}  // namespace hone::iree
