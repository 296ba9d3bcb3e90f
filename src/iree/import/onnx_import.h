#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"

namespace hone::iree {

/// An input or output of a model.
struct ModelValue {
  std::string name;
  std::string element;                     ///< "f32", "i64", "ui8", …
  std::vector<std::int64_t> shape;         ///< of an input
  std::optional<std::int64_t> indexLimit;  ///< rows of the table that an integer input selects from
};

/// A node of a model's graph.
struct ModelNode {
  std::string op;
  std::string name;
};

/// Sizes of dynamic dimensions by name.
using DimensionSizes = std::map<std::string, std::int64_t>;

/// The shape of an input.
struct InputShape {
  std::string name;                                ///< "" if shapes are in the order of the inputs
  std::optional<std::vector<std::int64_t>> shape;  ///< nullopt: not given
};

/// A model and the sizes to fix its dynamic dimensions to.
struct ModelSource {
  std::filesystem::path file;
  /// Sizes by name; dimensions without a name are called INPUT.AXIS.
  DimensionSizes dims{};
  /// Shapes of inputs, by name or all in their order.
  std::vector<InputShape> shapes{};
  int opset = 0;          ///< version of the operators to convert to; 0: the model's
  bool simplify = false;  ///< fold constants and branches with ONNX Runtime first
};

/// A model in MLIR. Its files are in the artifact cache.
struct ImportedModel {
  std::filesystem::path module;      ///< in the torch dialect
  std::filesystem::path model;       ///< ONNX model with all dimensions of inputs fixed
  std::filesystem::path parameters;  ///< weights of scope kModelScope; "" if they are in the module
  std::vector<ModelValue> inputs;
  std::vector<ModelValue> outputs;
  DimensionSizes dims;           ///< sizes of all dynamic dimensions
  DimensionSizes chosen;         ///< those that the source does not give: the batch, which is 1
  int opset = 0;                 ///< of the original model
  std::vector<ModelNode> nodes;  ///< of the module, in its order
};

/// Scope of the parameters of imported models.
inline constexpr const char* kModelScope = "model";

/// Returns true if the file is read with importOnnx().
[[nodiscard]] bool isOnnx(const std::filesystem::path& file);

/// Fixes the dimensions of an ONNX model and converts it with IREE's importer, in a limited Python
/// process. Fails with a user error that names the dimension, the weights or the node that is
/// wrong, and with a machine error if Python or the package onnx is missing.
[[nodiscard]] Result<ImportedModel> importOnnx(Compiler& compiler, const ModelSource& source);

/// Returns the node at a line of the imported module; nothing if there is none.
[[nodiscard]] Result<std::optional<ModelNode>> findNode(const ImportedModel& model,
                                                        std::int64_t line);

/// Returns the message of the compiler with the name of the node in place of the location in the
/// imported module.
[[nodiscard]] std::string nameNode(const ImportedModel& model, const std::string& message);

}  // namespace hone::iree
