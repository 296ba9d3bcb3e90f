#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "iree/compile/compiler.h"
#include "model/problem/problem.h"
#include "verify/tensor.h"

namespace hone::engine {

/// One function of one MLIR file, with what is known about it.
struct Program {
  std::filesystem::path source;
  std::string hash;  ///< of the source's bytes
  std::string function;
  std::vector<std::string> inputTypes;  ///< as MLIR writes them: "tensor<4x4xf32>"
  std::vector<std::string> resultTypes;
  std::optional<model::Problem> problem;  ///< when it is one that has a reference
  std::string from = iree::kPhaseStart;   ///< the phase of the compiler that its source is at

  /// Returns the name for people: the file's, and the function's if that adds something.
  [[nodiscard]] std::string label() const;
};

/// Reads the file and picks the function: the named one, or the only one there is. Not MLIR, a
/// missing file, a function that is not there: user errors.
[[nodiscard]] Result<Program> loadProgram(iree::Compiler& compiler,
                                          const std::filesystem::path& source,
                                          const std::string& function,
                                          const std::vector<std::string>& flags);

/// A program that is one problem in a function, without asking the compiler.
[[nodiscard]] Program programOf(const model::Problem& problem, std::filesystem::path source,
                                std::string function);

/// The values of a program's inputs, and the arguments that pass them to IREE's tools.
struct Inputs {
  std::vector<std::string> arguments;   ///< "4x4xf32=@file.bin", one an input
  std::vector<verify::Tensor> tensors;  ///< the values; empty unless hone made all of them
};

/// Added to a plan's seed for the values of its other inputs.
inline constexpr std::uint64_t kOtherSeed = 0x5eed;

/// Makes the inputs that the user did not give. A spec is a type ("4x4xf32": hone makes the
/// values) or a type with values as IREE's tools take them ("4x4xf32=1", "4x4xf32=@file.npy").
/// A wrong number of specs, or a shape that does not fit the function, is a user error.
[[nodiscard]] Result<Inputs> makeInputs(const Program& program,
                                        const std::vector<std::string>& specs, std::uint64_t seed,
                                        const std::filesystem::path& folder);

}  // namespace hone::engine
