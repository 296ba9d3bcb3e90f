#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/error.h"
#include "model/problem/tensor_type.h"

namespace hone::verify {

/// A dense row-major tensor in memory, its elements as the type says.
struct Tensor {
  model::TensorType type;
  std::vector<std::byte> data;
};

/// The elements from `begin` on as numbers, as many as `out` holds. A double holds every value but
/// large i64 ones; integers are to be asked of integer types only.
void readElements(const Tensor& tensor, std::size_t begin, std::span<float> out);
void readElements(const Tensor& tensor, std::size_t begin, std::span<double> out);
void readElements(const Tensor& tensor, std::size_t begin, std::span<std::int64_t> out);

/// All of them.
template <typename Number>
[[nodiscard]] std::vector<Number> numbersOf(const Tensor& tensor) {
  std::vector<Number> numbers(static_cast<std::size_t>(tensor.type.count()));
  readElements(tensor, 0, std::span<Number>(numbers));
  return numbers;
}

/// The raw little-endian .bin files that IREE's tools take as `--input=512x1024xf32=@f.bin` and
/// write as `--output=@f.bin`. A file of another size than the type's is an error.
[[nodiscard]] Result<Tensor> readTensor(const std::filesystem::path& path,
                                        const model::TensorType& type);
[[nodiscard]] Result<void> writeTensor(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace hone::verify
