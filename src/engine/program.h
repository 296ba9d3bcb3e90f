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

/// A function of an MLIR file.
struct Program {
  std::filesystem::path source;
  std::string hash;  ///< SHA-256 of the source; "" from makeProgram()
  std::string function;
  std::vector<std::string> inputTypes;  ///< in MLIR syntax: "tensor<4x4xf32>"
  std::vector<std::string> resultTypes;
  std::optional<model::Problem> problem;  ///< if it is a problem with a reference
  std::string from = iree::kPhaseStart;   ///< compiler phase of the source

  /// Returns the display name: the file name, and the function name if it differs.
  [[nodiscard]] std::string label() const;
};

/// Reads the file and selects the named function, or the only one. Fails with a user error if the
/// file is missing or not MLIR, or if there is no such function.
[[nodiscard]] Result<Program> loadProgram(iree::Compiler& compiler,
                                          const std::filesystem::path& source,
                                          const std::string& function,
                                          const std::vector<std::string>& flags);

/// Returns the program of a problem without calling the compiler.
[[nodiscard]] Program makeProgram(const model::Problem& problem, std::filesystem::path source,
                                  std::string function);

/// Input values of a program and the arguments that pass them to IREE's tools.
struct Inputs {
  std::vector<std::string> arguments;   ///< "4x4xf32=@file.bin", one per input
  std::vector<verify::Tensor> tensors;  ///< values; empty unless hone generated all of them
};

/// Offset of a plan's seed for the values of its other inputs.
inline constexpr std::uint64_t kOtherSeed = 0x5eed;

/// Generates the inputs that the user did not provide. A spec is a type ("4x4xf32", values are
/// generated) or a type with values in the syntax of IREE's tools ("4x4xf32=1",
/// "4x4xf32=@file.npy"). Fails with a user error if the number of specs or a shape does not match.
[[nodiscard]] Result<Inputs> makeInputs(const Program& program,
                                        const std::vector<std::string>& specs, std::uint64_t seed,
                                        const std::filesystem::path& folder);

}  // namespace hone::engine
