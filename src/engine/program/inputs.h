#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/program/program.h"
#include "verify/tensor/tensor.h"

namespace hone::engine {

/// Input values of a program and the arguments that pass them to IREE's tools.
struct Inputs {
  std::vector<std::string> arguments;  ///< "4x4xf32=@file.bin", one per input
  /// Values; empty unless hone generated all of them or read them from files.
  std::vector<verify::Tensor> tensors;
  bool generated = false;  ///< all values are hone's, so that a problem has a reference
};

/// Added to a plan's seed to generate its second set of inputs.
inline constexpr std::uint64_t kOtherSeed = 0x5eed;

/// Generates the inputs that the user did not provide. A spec is one of
///   4x4xf32             a type; values are generated
///   4x4xf32=1           one value for all elements
///   4x4xf32=@file.bin   values in a file: raw, or .npy
///   @file.npy           type and values
///   @file.npz, @folder  all inputs, by name or in the order of the files
/// and may start with the name of an input and "=". Integers are within the program's ranges; i32
/// and i64 without a range are 0 or 1, which is safe for indices and masks. Fails with a user error
/// if the number of specs or a shape does not match.
[[nodiscard]] Result<Inputs> makeInputs(const Program& program,
                                        const std::vector<std::string>& specs, std::uint64_t seed,
                                        const std::filesystem::path& folder);

}  // namespace hone::engine
