#include "verify/inputs.h"

#include <array>
#include <cstring>

#include "base/hash.h"
#include "base/random.h"
#include "verify/tensor/half.h"

namespace hone::verify {
namespace {

using model::ElementType;

template <typename Stored>
void put(Tensor& tensor, std::size_t index, Stored value) {
  std::memcpy(tensor.data.data() + index * sizeof(Stored), &value, sizeof(Stored));
}

int smallInteger(unsigned nibble) {
  const int magnitude = static_cast<int>(nibble & 7U) + 1;
  return (nibble & 8U) != 0 ? -magnitude : magnitude;
}

template <typename Stored, typename Convert>
void fillIntegers(Tensor& tensor, Random generator, Convert convert) {
  std::array<Stored, 16> table{};
  for (unsigned nibble = 0; nibble < 16; ++nibble) {
    table[nibble] = static_cast<Stored>(convert(smallInteger(nibble)));
  }
  const auto count = static_cast<std::size_t>(tensor.type.count());
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bits = i % 16 == 0 ? generator.next() : bits >> 4U;
    put(tensor, i, table[bits & 15U]);
  }
}

/// Uses 24 random bits, so that an f64 input is exact in the f32 reference.
template <typename Stored, typename Convert>
void fillReals(Tensor& tensor, Random generator, Convert convert) {
  const auto count = static_cast<std::size_t>(tensor.type.count());
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = static_cast<std::int32_t>(generator.next() >> 40U);
    put(tensor, i, static_cast<Stored>(convert(static_cast<float>(bits) * 0x1p-23F - 1.0F)));
  }
}

template <typename Stored, typename Convert>
void fill(Tensor& tensor, Values values, Random generator, Convert convert) {
  if (values == Values::smallIntegers || !isFloat(tensor.type.element)) {
    fillIntegers<Stored>(tensor, generator, convert);
  } else {
    fillReals<Stored>(tensor, generator, convert);
  }
}

}  // namespace

Values valuesFor(const model::Problem& problem) {
  const model::Activation activation = findEpilogue(problem).activation;
  const bool saturates = std::holds_alternative<model::Attention>(problem) ||
                         activation == model::Activation::gelu ||
                         activation == model::Activation::softmax;
  return saturates ? Values::reals : Values::smallIntegers;
}

Tensor makeInput(const model::TensorType& type, Values values, std::uint64_t seed,
                 std::size_t operand) {
  Tensor tensor{type, std::vector<std::byte>(type.bytes())};
  const Random generator(seedFrom(seed, fmt::format("operand {}", operand)));
  const auto same = [](auto value) { return value; };
  const auto half = [](auto value) { return toHalf(static_cast<float>(value)); };
  const auto bfloat = [](auto value) { return toBfloat(static_cast<float>(value)); };
  switch (type.element) {
    case ElementType::f64:
      fill<double>(tensor, values, generator, same);
      break;
    case ElementType::f32:
      fill<float>(tensor, values, generator, same);
      break;
    case ElementType::f16:
      fill<std::uint16_t>(tensor, values, generator, half);
      break;
    case ElementType::bf16:
      fill<std::uint16_t>(tensor, values, generator, bfloat);
      break;
    case ElementType::i64:
      fillIntegers<std::int64_t>(tensor, generator, same);
      break;
    case ElementType::i32:
      fillIntegers<std::int32_t>(tensor, generator, same);
      break;
    case ElementType::i16:
      fillIntegers<std::int16_t>(tensor, generator, same);
      break;
    case ElementType::i8:
      fillIntegers<std::int8_t>(tensor, generator, same);
      break;
    case ElementType::i1:
      fillIntegers<std::uint8_t>(tensor, generator, [](int value) { return value & 1; });
      break;
  }
  return tensor;
}

Tensor makeIntegers(const model::TensorType& type, const IntegerBounds& bounds, std::uint64_t seed,
                    std::size_t operand) {
  Tensor tensor{type, std::vector<std::byte>(type.bytes())};
  Random generator(seedFrom(seed, fmt::format("operand {}", operand)));
  const std::size_t width = byteWidth(type.element);
  const auto values =
      static_cast<std::uint64_t>(bounds.high) - static_cast<std::uint64_t>(bounds.low);
  const auto count = static_cast<std::size_t>(type.count());
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<std::int64_t>(static_cast<std::uint64_t>(bounds.low) +
                                                 (values == 0 ? 0 : generator.below(values)));
    std::memcpy(tensor.data.data() + i * width, &value, width);  // little-endian
  }
  return tensor;
}

Tensor makeConstant(const model::TensorType& type, double value) {
  Tensor tensor{type, std::vector<std::byte>(type.bytes())};
  const std::size_t width = byteWidth(type.element);
  std::array<std::byte, sizeof(double)> bytes{};
  const auto store = [&](auto stored) { std::memcpy(bytes.data(), &stored, sizeof(stored)); };
  switch (type.element) {
    case ElementType::f64:
      store(value);
      break;
    case ElementType::f32:
      store(static_cast<float>(value));
      break;
    case ElementType::f16:
      store(toHalf(static_cast<float>(value)));
      break;
    case ElementType::bf16:
      store(toBfloat(static_cast<float>(value)));
      break;
    default:
      store(static_cast<std::int64_t>(value));
      break;
  }
  const auto count = static_cast<std::size_t>(type.count());
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(tensor.data.data() + i * width, bytes.data(), width);
  }
  return tensor;
}

}  // namespace hone::verify
