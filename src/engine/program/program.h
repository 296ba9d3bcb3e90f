#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "iree/import/onnx_import.h"
#include "model/problem/problem.h"
#include "verify/inputs.h"

namespace hone::engine {

/// A file with the options that select and fix a program in it.
struct ProgramSource {
  std::filesystem::path file;
  std::string function{};
  std::vector<std::string> flags{};
  iree::DimensionSizes dims{};
  /// The user's input specs, see makeInputs(); their shapes fix dynamic dimensions of a model.
  std::vector<std::string> inputs{};
  /// Ranges of integer inputs, by name or number.
  std::map<std::string, verify::IntegerBounds> ranges{};
  std::vector<std::string> parameters{};
};

/// A function of an MLIR file or of a model.
struct Program {
  std::filesystem::path source;  ///< file that the compiler reads; in the cache for a model
  std::string hash;              ///< SHA-256 of the source; "" from makeProgram()
  std::string function;
  std::vector<std::string> inputTypes;  ///< in MLIR syntax: "tensor<4x4xf32>"
  std::vector<std::string> resultTypes;
  std::optional<model::Problem> problem;  ///< if it is a problem with a reference
  std::string from = iree::kPhaseStart;   ///< compiler phase of the source
  std::filesystem::path file{};           ///< the user's file; "" if it is the source
  std::filesystem::path model{};  ///< ONNX model that computes the same; "" if there is none
  std::vector<std::string> inputNames{};  ///< of a model; otherwise empty
  std::vector<std::string> resultNames{};
  /// Ranges of the inputs that need one; empty, or one per input.
  std::vector<std::optional<verify::IntegerBounds>> inputRanges{};
  std::vector<std::string> parameters{};  ///< files with weights, as in "model=weights.irpa"
  iree::DimensionSizes dims{};            ///< sizes that dynamic dimensions were fixed to
  iree::DimensionSizes chosenDims{};      ///< those that the user did not give
  /// The model as it was imported; nullptr if there is none, or in another process.
  std::shared_ptr<const iree::ImportedModel> imported{};

  /// Returns the display name: the file name, and the function name if it differs.
  [[nodiscard]] std::string label() const;
  /// Returns the name of the user's file, without folders.
  [[nodiscard]] std::string fileName() const;
  /// Returns the compiler's message, with the node of the model that it is about.
  [[nodiscard]] std::string describeFailure(const std::string& message) const;
  /// Returns the sizes of dimensions, as in "batch=1, sequence=128"; "" if there are none.
  [[nodiscard]] std::string describeDims() const;
};

/// Reads the file and selects the named function, or the only one. Imports ONNX models, and lowers
/// other dialects (torch) to the compiler's input phase. Fails with a user error if the file is
/// missing or not MLIR, if there is no such function, or if the compiler cannot lower it.
[[nodiscard]] Result<Program> loadProgram(iree::Compiler& compiler, const ProgramSource& source);

/// Returns "input 2", or "input ids" if inputs have names.
[[nodiscard]] std::string describeInput(const Program& program, std::size_t number);

/// Fails with a user error if a static type does not match the type of an input, which may have
/// dynamic dimensions.
[[nodiscard]] Result<void> checkInputType(const Program& program, std::size_t number,
                                          const model::TensorType& given);

/// Returns the program of a problem without calling the compiler.
[[nodiscard]] Program makeProgram(const model::Problem& problem, std::filesystem::path source,
                                  std::string function);

}  // namespace hone::engine
