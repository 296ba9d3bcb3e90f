#include "kernel/judge/input/timed_inputs.h"

#include <sys/random.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/random.h"
#include "kernel/judge/input/input_values.h"
#include "kernel/judge/input/natural_inputs.h"
#include "verify/tensor/half.h"

namespace hone::kernel {
namespace {

using model::ElementType;

/// Compiled for wide vectors where the processor has them.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HONE_WIDE_VECTORS __attribute__((target_clones("avx2", "default"), optimize("O3")))
#else
#define HONE_WIDE_VECTORS
#endif

/// Two words that select a sequence of hashes.
struct HashKey {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
};

/// Returns a hash of the index. The key enters twice: with one addition, two keys would give
/// shifted copies of one sequence.
inline std::uint32_t hashAt(std::uint32_t index, HashKey key) {
  std::uint32_t x = index * 0x9e3779b1U + key.first;
  x ^= x >> 16U;
  x *= 0x21f0aaadU;
  x ^= x >> 15U;
  x += key.second;
  x *= 0x735a2d97U;
  return x ^ (x >> 15U);
}

/// Returns a value in [-1, 1).
inline float unitFloat(std::uint32_t hash) {
  return static_cast<float>(static_cast<std::int32_t>(hash) >> 8) * 0x1p-23F;
}

HONE_WIDE_VECTORS void fillFloats(float* out, std::size_t count, HashKey key, float scale) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = unitFloat(hashAt(static_cast<std::uint32_t>(i), key)) * scale;
  }
}

/// Returns a value in (0, 1].
inline float positiveFloat(std::uint32_t hash) {
  return static_cast<float>(static_cast<std::int32_t>(hash >> 8U) + 1) * 0x1p-24F;
}

HONE_WIDE_VECTORS void fillPositiveFloats(float* out, std::size_t count, HashKey key, float scale) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = positiveFloat(hashAt(static_cast<std::uint32_t>(i), key)) * scale;
  }
}

HONE_WIDE_VECTORS void fillDoubles(double* out, std::size_t count, HashKey key, double scale) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto hash = static_cast<std::int32_t>(hashAt(static_cast<std::uint32_t>(i), key));
    out[i] = static_cast<double>(hash) * 0x1p-31 * scale;
  }
}

HONE_WIDE_VECTORS void fillPositiveDoubles(double* out, std::size_t count, HashKey key,
                                           double scale) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t hash = hashAt(static_cast<std::uint32_t>(i), key);
    out[i] = (static_cast<double>(hash) + 1) * 0x1p-32 * scale;
  }
}

HONE_WIDE_VECTORS void fillFromTable(std::uint16_t* out, std::size_t count, HashKey key,
                                     const std::uint16_t* table) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = table[hashAt(static_cast<std::uint32_t>(i), key) >> 20U];
  }
}

/// Writes integers of the range; both of its ends are among them.
template <typename Integer>
void fillIntegers(std::byte* into, std::size_t count, HashKey key, const IntegerRange& range) {
  constexpr std::uint64_t kMaxValues = std::numeric_limits<std::uint32_t>::max();
  const auto values = std::min(kMaxValues, static_cast<std::uint64_t>(range.high - range.low));
  auto* out = reinterpret_cast<Integer*>(into);
  const auto index = [](std::uint64_t hash, std::uint64_t size) { return (hash * size) >> 32U; };
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t hash = hashAt(static_cast<std::uint32_t>(i), key);
    out[i] = static_cast<Integer>(range.low + static_cast<std::int64_t>(index(hash, values)));
  }
  if (count > 1) {
    const auto first = static_cast<std::size_t>(index(hashAt(0, key), count));
    out[first] = static_cast<Integer>(range.low);
    const auto other = static_cast<std::size_t>(index(hashAt(1, key), count - 1));
    out[(first + 1 + other) % count] = static_cast<Integer>(range.high - 1);
  }
}

/// Entries of the tables of 16-bit floats: hashes are reduced to 12 bits.
constexpr std::size_t kTableSize = 4096;

std::vector<std::uint16_t> makeTable(ElementType type, bool positive) {
  std::vector<std::uint16_t> table(kTableSize);
  for (std::size_t i = 0; i < kTableSize; ++i) {
    const float unit = (static_cast<float>(i) + 0.5F) / kTableSize;
    const float value = positive ? unit : 2 * unit - 1;
    table[i] = type == ElementType::f16 ? verify::toHalf(value) : verify::toBfloat(value);
  }
  return table;
}

/// Every n-th row has a dominant element. In more rows, a kernel would gain by skipping what they
/// make negligible.
constexpr std::uint32_t kDominantPeriod = 8;

/// Places one dominant element at a random place of some rows, of at least one.
void placeDominant(const model::TensorType& type, std::span<std::byte> data, HashKey key,
                   bool positive) {
  const std::size_t length = rowLength(type);
  const auto count = static_cast<std::size_t>(type.count());
  const auto rows =
      static_cast<std::uint32_t>((count + length - 1) / std::max<std::size_t>(length, 1));
  const std::uint32_t first = hashAt(2 * rows, key) % std::min(kDominantPeriod, std::max(rows, 1U));
  for (std::uint32_t row = first; row < rows; row += kDominantPeriod) {
    const std::size_t begin = row * length;
    const std::uint64_t size = std::min(length, count - begin);
    const auto column =
        static_cast<std::size_t>((std::uint64_t{hashAt(2 * row, key)} * size) >> 32U);
    const double unit = unitFloat(hashAt(2 * row + 1, key));
    const double sign = positive ? 1 : unit + 0.3;
    storeNumber(type.element, data, begin + column,
                std::copysign(kLarge * (0.5 + 0.5 * std::abs(unit)), sign));
  }
}

}  // namespace

Result<InputKey> InputKey::draw() {
  InputKey key;
  if (::getrandom(key.bits.data(), sizeof key.bits, 0) != sizeof key.bits) {
    return errnoError("cannot get random bits");
  }
  return key;
}

TimedInputs::TimedInputs(const Shape& shape, std::span<const verify::Tensor> natural,
                         TimedRange range)
    : floats_(range) {
  for (std::size_t i = 0; i < shape.inputs.size(); ++i) {
    Input& input = inputs_.emplace_back();
    input.type = shape.inputs[i].type;
    input.range = integerRange(shape.inputs[i]);
    if (input.type.element == ElementType::f16 || input.type.element == ElementType::bf16) {
      input.table = makeTable(input.type.element, range.positive);
    }
    if (i < natural.size() && isConstrained(shape, i)) {
      input.isFree = false;
      input.base = verify::toNumbers<double>(natural[i]);
      input.added = parameterNoise(input.base);
    }
  }
}

ValueKind TimedInputs::kindFor(const InputKey& key) const {
  return floats_.large && (key.bits[0] & 1U) != 0 ? ValueKind::outliers
         : floats_.positive                       ? ValueKind::positive
                                                  : ValueKind::unit;
}

void TimedInputs::write(const InputKey& key, std::size_t index, std::span<std::byte> into) const {
  const Input& input = inputs_[index];
  Random random(key.bits[0] + index * 0x9e3779b97f4a7c15U);
  const std::uint64_t one = random.next() ^ key.bits[1];
  const std::uint64_t two = random.next() + key.bits[1];
  const HashKey values{static_cast<std::uint32_t>(one), static_cast<std::uint32_t>(one >> 32U)};
  const HashKey places{static_cast<std::uint32_t>(two), static_cast<std::uint32_t>(two >> 32U)};
  const ElementType type = input.type.element;
  const auto count = static_cast<std::size_t>(input.type.count());
  if (!input.isFree) {
    writeConstrained(input.type, input.base, input.added, one, into);
    return;
  }
  constexpr std::array<double, 4> kScales = {1, 0x1p-8, 16, 64};
  constexpr std::size_t kSmallScales = 2;
  const double scale = kScales[random.below(floats_.large ? kScales.size() : kSmallScales)];
  switch (type) {
    case ElementType::f64: {
      const auto fill = floats_.positive ? fillPositiveDoubles : fillDoubles;
      fill(reinterpret_cast<double*>(into.data()), count, values, scale);
      break;
    }
    case ElementType::f32: {
      const auto fill = floats_.positive ? fillPositiveFloats : fillFloats;
      fill(reinterpret_cast<float*>(into.data()), count, values, static_cast<float>(scale));
      break;
    }
    case ElementType::f16:
    case ElementType::bf16:
      fillFromTable(reinterpret_cast<std::uint16_t*>(into.data()), count, values,
                    input.table.data());
      break;
    case ElementType::i64:
      fillIntegers<std::int64_t>(into.data(), count, values, input.range);
      return;
    case ElementType::i32:
      fillIntegers<std::int32_t>(into.data(), count, values, input.range);
      return;
    case ElementType::i16:
      fillIntegers<std::int16_t>(into.data(), count, values, input.range);
      return;
    case ElementType::i8:
    case ElementType::i1:
      fillIntegers<std::int8_t>(into.data(), count, values, input.range);
      return;
  }
  if (kindFor(key) == ValueKind::outliers) {
    placeDominant(input.type, into, places, floats_.positive);
  }
}

std::vector<verify::Tensor> TimedInputs::make(const InputKey& key) const {
  std::vector<verify::Tensor> tensors;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    verify::Tensor tensor{inputs_[i].type, std::vector<std::byte>(inputs_[i].type.bytes())};
    write(key, i, tensor.data);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace hone::kernel
