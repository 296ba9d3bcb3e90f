#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "verify/tensor/tensor.h"

namespace hone::engine {

/// One input as the user describes it.
struct InputSpec {
  std::string text;                      ///< as the user wrote it
  std::string name;                      ///< "" if it is given by position
  std::string type;                      ///< "4x4xf32"; "" if it follows from the program
  std::string value;                     ///< in the syntax of IREE's tools: "1", "@file.bin"
  std::optional<verify::Tensor> tensor;  ///< values read from a NumPy file

  /// Returns the type of the spec, if it has one.
  [[nodiscard]] Result<std::optional<model::TensorType>> givenType() const;
};

/// Parses the specs of makeInputs(), and reads NumPy files. An archive or a folder yields one spec
/// per array; they are named.
[[nodiscard]] Result<std::vector<InputSpec>> parseInputSpecs(const std::vector<std::string>& texts);

/// Assigns the specs to the inputs; returns one spec per input, in order. Inputs without a spec get
/// an empty one, if all specs are named. Fails with a user error that names the spec or the input
/// that has none.
[[nodiscard]] Result<std::vector<InputSpec>> assignSpecs(std::vector<InputSpec> specs,
                                                         const std::vector<std::string>& names,
                                                         const std::vector<std::string>& types,
                                                         const std::string& function);

}  // namespace hone::engine
