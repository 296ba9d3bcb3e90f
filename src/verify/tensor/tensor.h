#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/error.h"
#include "model/problem/tensor_type.h"

namespace hone::verify {

/// A dense row-major tensor in memory.
struct Tensor {
  model::TensorType type;
  std::vector<std::byte> data;
};

/// Converts the elements from `begin` into `out`, as many as it holds. A double is exact for all
/// but large i64 values. Read std::int64_t from integer types only.
void readElements(const Tensor& tensor, std::size_t begin, std::span<float> out);
void readElements(const Tensor& tensor, std::size_t begin, std::span<double> out);
void readElements(const Tensor& tensor, std::size_t begin, std::span<std::int64_t> out);

/// Returns all elements as numbers.
template <typename Number>
[[nodiscard]] std::vector<Number> toNumbers(const Tensor& tensor) {
  std::vector<Number> numbers(static_cast<std::size_t>(tensor.type.count()));
  readElements(tensor, 0, std::span<Number>(numbers));
  return numbers;
}

/// Reads the raw little-endian .bin files that IREE's tools take as `--input=512x1024xf32=@f.bin`
/// and write as `--output=@f.bin`. Fails if the size does not match the type.
[[nodiscard]] Result<Tensor> readTensor(const std::filesystem::path& path,
                                        const model::TensorType& type);
[[nodiscard]] Result<void> writeTensor(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace hone::verify
