#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "verify/tensor/tensor.h"

namespace hone::verify {

/// Reads a NumPy array. Unsigned integers become integers of the same width. Fails with a user
/// error if the file is not an array in row-major order of a supported type.
[[nodiscard]] Result<Tensor> readNpy(const std::filesystem::path& file);

/// A named array of an archive.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// Reads the arrays of an archive written by numpy.savez, in their order. Fails with a user error
/// if it is compressed.
[[nodiscard]] Result<std::vector<NamedTensor>> readNpz(const std::filesystem::path& file);

}  // namespace hone::verify
