#include "kernel/judge/input/input_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/hash.h"
#include "base/random.h"
#include "verify/half.h"

namespace hone::kernel {
namespace {

using model::ElementType;

template <typename Stored>
void put(verify::Tensor& tensor, std::size_t index, Stored value) {
  std::memcpy(tensor.data.data() + index * sizeof(Stored), &value, sizeof(Stored));
}

double between(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

constexpr double kDenormal = 0x1p-140;
constexpr double kLarge = 1024;
constexpr double kTiny = 0x1p-20;

/// Generates one row of special values.
class Row {
 public:
  Row(Random& random, std::size_t length)
      : random_(random),
        kind_(random.below(8)),
        rarity_(std::max<std::size_t>(4, length / 8)),
        constant_(std::ldexp(1.0, exponent(random))) {}

  double next(std::size_t column) {
    switch (kind_) {
      case 0:
        return 0;
      case 1:
        return constant_;
      case 2:
        return between(random_, -kLarge, kLarge);
      case 3:
        return between(random_, -1, 0);
      case 4:
        return between(random_, -kTiny, kTiny);
      case 5:
        return sparseSpecial();
      case 6:
        return column == 0 ? kLarge : between(random_, -1, 1);
      default:
        return between(random_, -1, 1);
    }
  }

 private:
  static int exponent(Random& random) { return static_cast<int>(random.below(4)) - 2; }
  double sparseSpecial() {
    const std::size_t pick = random_.below(rarity_);
    return pick == 0 ? kDenormal : pick == 1 ? -0.0 : between(random_, -1, 1);
  }

  Random& random_;
  std::size_t kind_;
  std::size_t rarity_;
  double constant_;
};

void fillRows(verify::Tensor& tensor, Random& random) {
  constexpr std::size_t kRowOfVector = 64;
  const auto& shape = tensor.type.shape;
  const std::size_t length =
      shape.size() > 1 ? static_cast<std::size_t>(shape.back()) : kRowOfVector;
  const auto count = static_cast<std::size_t>(tensor.type.count());
  for (std::size_t begin = 0; begin < count; begin += length) {
    Row row(random, length);
    for (std::size_t i = begin; i < std::min(count, begin + length); ++i) {
      storeNumber(tensor, i, row.next(i - begin));
    }
  }
}

void fillIntegers(verify::Tensor& tensor, const std::optional<IntegerRange>& given,
                  Random& random) {
  const bool isBit = tensor.type.element == ElementType::i1;
  const IntegerRange range = given.value_or(isBit ? IntegerRange{0, 2} : IntegerRange{-8, 9});
  const auto values = static_cast<std::size_t>(range.high - range.low);
  const auto low = static_cast<double>(range.low);
  const auto count = static_cast<std::size_t>(tensor.type.count());
  for (std::size_t i = 0; i < count; ++i) {
    storeNumber(tensor, i, low + static_cast<double>(random.below(values)));
  }
  if (given && count > 1) {
    // Mistakes show at the ends of a range, which a few draws from a large one may miss.
    const std::size_t first = random.below(count);
    storeNumber(tensor, first, low);
    storeNumber(tensor, (first + 1 + random.below(count - 1)) % count,
                static_cast<double>(range.high - 1));
  }
}

/// Returns a random scale; 1 for f16, whose squares must not overflow.
double scaleFor(ElementType type, Random& random) {
  constexpr std::array<double, 4> kScales = {1, 0x1p-8, 16, 64};
  return type == ElementType::f16 ? 1 : kScales[random.below(kScales.size())];
}

void fillUniform(verify::Tensor& tensor, Random& random, ValueKind kind) {
  const double scale = scaleFor(tensor.type.element, random);
  const auto count = static_cast<std::size_t>(tensor.type.count());
  for (std::size_t i = 0; i < count; ++i) {
    const double value = kind == ValueKind::unit ? between(random, -1, 1) : 1 - random.uniform();
    storeNumber(tensor, i, value * scale);
  }
}

}  // namespace

std::string_view nameOf(ValueKind kind) {
  switch (kind) {
    case ValueKind::unit:
      return "random values";
    case ValueKind::positive:
      return "positive values";
    case ValueKind::rows:
      break;
  }
  return "special values";
}

std::vector<verify::Tensor> makeInputs(const Shape& shape, ValueKind kind, std::uint64_t seed) {
  std::vector<verify::Tensor> inputs;
  for (const Argument& argument : shape.inputs) {
    Random random(seedFrom(seed, argument.name));
    verify::Tensor tensor{argument.type, std::vector<std::byte>(argument.type.bytes())};
    if (!isFloat(argument.type.element)) {
      fillIntegers(tensor, argument.range, random);
    } else if (kind == ValueKind::rows) {
      fillRows(tensor, random);
    } else {
      fillUniform(tensor, random, kind);
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

void storeNumber(verify::Tensor& tensor, std::size_t index, double value) {
  switch (tensor.type.element) {
    case ElementType::f64:
      put(tensor, index, value);
      break;
    case ElementType::f32:
      put(tensor, index, static_cast<float>(value));
      break;
    case ElementType::f16:
      put(tensor, index, verify::toHalf(static_cast<float>(value)));
      break;
    case ElementType::bf16:
      put(tensor, index, verify::toBfloat(static_cast<float>(value)));
      break;
    case ElementType::i64:
      put(tensor, index, static_cast<std::int64_t>(value));
      break;
    case ElementType::i32:
      put(tensor, index, static_cast<std::int32_t>(value));
      break;
    case ElementType::i16:
      put(tensor, index, static_cast<std::int16_t>(value));
      break;
    case ElementType::i8:
    case ElementType::i1:
      put(tensor, index, static_cast<std::int8_t>(value));
      break;
  }
}

verify::Tensor widenToF64(const verify::Tensor& tensor) {
  const std::vector<double> numbers = verify::toNumbers<double>(tensor);
  verify::Tensor wide{{tensor.type.shape, ElementType::f64},
                      std::vector<std::byte>(numbers.size() * sizeof(double))};
  std::memcpy(wide.data.data(), numbers.data(), wide.data.size());
  return wide;
}

}  // namespace hone::kernel
