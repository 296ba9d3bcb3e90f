#pragma once

#include <filesystem>

#include "base/error.h"
#include "engine/program/program.h"
#include "iree/compile/compiler.h"
#include "iree/import/onnx_import.h"

namespace hone::engine {

/// A model that was imported and lowered to the compiler's input phase.
struct LoweredModel {
  iree::ImportedModel model;
  std::filesystem::path module;  ///< in the cache
};

/// Imports an ONNX model and lowers it. If the compiler does not know an operator, replaces it by
/// its definition in other operators, converts the model to newer operators, and folds constants.
/// Fails with a user error that names the node if that does not help.
[[nodiscard]] Result<LoweredModel> importAndLower(iree::Compiler& compiler,
                                                  const ProgramSource& source);

}  // namespace hone::engine
