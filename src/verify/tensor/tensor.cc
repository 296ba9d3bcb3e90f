#include "verify/tensor/tensor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "base/file.h"
#include "verify/tensor/half.h"

namespace hone::verify {
namespace {

using model::ElementType;

static_assert(std::endian::native == std::endian::little, "tensor files are little-endian");

/// Converts elements via a small buffer, since the bytes may be unaligned and compilers vectorize
/// loops over plain arrays.
template <typename Stored, typename Number, typename Convert>
void readAs(const std::byte* from, std::span<Number> out, Convert convert) {
  constexpr std::size_t kChunk = 256;
  std::array<Stored, kChunk> chunk;  // NOLINT(*-member-init): memcpy fills what is used
  for (std::size_t begin = 0; begin < out.size(); begin += kChunk) {
    const std::size_t size = std::min(kChunk, out.size() - begin);
    std::memcpy(chunk.data(), from + begin * sizeof(Stored), size * sizeof(Stored));
    for (std::size_t i = 0; i < size; ++i) {
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): an i8 is a number, not a character
      out[begin + i] = static_cast<Number>(convert(chunk[i]));
    }
  }
}

template <typename Number>
void read(const Tensor& tensor, std::size_t begin, std::span<Number> out) {
  const std::byte* from = tensor.data.data() + begin * byteWidth(tensor.type.element);
  const auto same = [](auto value) { return value; };
  switch (tensor.type.element) {
    case ElementType::f64:
      return readAs<double>(from, out, same);
    case ElementType::f32:
      return readAs<float>(from, out, same);
    case ElementType::f16:
      return readAs<std::uint16_t>(from, out, fromHalf);
    case ElementType::bf16:
      return readAs<std::uint16_t>(from, out, fromBfloat);
    case ElementType::i64:
      return readAs<std::int64_t>(from, out, same);
    case ElementType::i32:
      return readAs<std::int32_t>(from, out, same);
    case ElementType::i16:
      return readAs<std::int16_t>(from, out, same);
    case ElementType::i8:
      return readAs<std::int8_t>(from, out, same);
    case ElementType::i1:
      return readAs<std::uint8_t>(from, out, [](std::uint8_t value) { return value & 1; });
  }
}

}  // namespace

void readElements(const Tensor& tensor, std::size_t begin, std::span<float> out) {
  read(tensor, begin, out);
}
void readElements(const Tensor& tensor, std::size_t begin, std::span<double> out) {
  read(tensor, begin, out);
}
void readElements(const Tensor& tensor, std::size_t begin, std::span<std::int64_t> out) {
  read(tensor, begin, out);
}

Result<Tensor> readTensor(const std::filesystem::path& path, const model::TensorType& type) {
  const std::string content = HONE_TRY(readFile(path));
  if (content.size() != type.bytes()) {
    return userError("{}: expected {} bytes for {}, got {}", path.string(), type.bytes(),
                     type.text(), content.size());
  }
  Tensor tensor{type, std::vector<std::byte>(content.size())};
  if (!content.empty()) {
    std::memcpy(tensor.data.data(), content.data(), content.size());
  }
  return tensor;
}

Result<void> writeTensor(const std::filesystem::path& path, const Tensor& tensor) {
  return writeScratchFile(path, std::string_view(reinterpret_cast<const char*>(tensor.data.data()),
                                                 tensor.data.size()));
}

}  // namespace hone::verify
