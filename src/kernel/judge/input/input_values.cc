#include "kernel/judge/input/input_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/hash.h"
#include "base/random.h"
#include "verify/tensor/half.h"

namespace hone::kernel {
namespace {

using model::ElementType;

template <typename Stored>
void put(std::span<std::byte> data, std::size_t index, Stored value) {
  std::memcpy(data.data() + index * sizeof(Stored), &value, sizeof(Stored));
}

double between(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

constexpr double kDenormal = 0x1p-140;
constexpr double kTiny = 0x1p-20;

/// Generates one row of special values.
class Row {
 public:
  Row(Random& random, std::size_t length)
      : random_(random),
        kind_(random.below(8)),
        rarity_(std::max<std::size_t>(4, length / 8)),
        dominant_(random.below(length)),
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
        return column == dominant_ ? kLarge : between(random_, -1, 1);
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
  std::size_t dominant_;  ///< column
  double constant_;
};

void fillRows(verify::Tensor& tensor, Random& random) {
  const std::size_t length = rowLength(tensor.type);
  const auto count = static_cast<std::size_t>(tensor.type.count());
  for (std::size_t begin = 0; begin < count; begin += length) {
    Row row(random, length);
    for (std::size_t i = begin; i < std::min(count, begin + length); ++i) {
      storeNumber(tensor, i, row.next(i - begin));
    }
  }
}

void fillIntegers(verify::Tensor& tensor, const Argument& argument, Random& random) {
  const IntegerRange range = integerRange(argument);
  const auto values = static_cast<std::size_t>(range.high - range.low);
  const auto low = static_cast<double>(range.low);
  const auto count = static_cast<std::size_t>(tensor.type.count());
  for (std::size_t i = 0; i < count; ++i) {
    storeNumber(tensor, i, low + static_cast<double>(random.below(values)));
  }
  if (argument.range && count > 1) {
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
    const double value =
        kind == ValueKind::positive ? 1 - random.uniform() : between(random, -1, 1);
    storeNumber(tensor, i, value * scale);
  }
}

/// Places one dominant element in every row, and zeros, denormals and large elements in every tile
/// of a row.
void placeOutliers(verify::Tensor& tensor, Random& random) {
  constexpr std::size_t kTile = 16;
  constexpr std::array<double, 5> kOthers = {0, -0.0, kDenormal, 8, -8};
  const std::size_t length = rowLength(tensor.type);
  const auto count = static_cast<std::size_t>(tensor.type.count());
  for (std::size_t tile = 0; tile < count; tile += kTile) {
    const std::size_t size = std::min(kTile, count - tile);
    storeNumber(tensor, tile + random.below(size), kOthers[random.below(kOthers.size())]);
  }
  for (std::size_t row = 0; row < count; row += length) {
    const double sign = random.below(3) == 0 ? -1 : 1;
    const std::size_t column = random.below(std::min(length, count - row));
    storeNumber(tensor, row + column, sign * kLarge * (0.5 + 0.5 * random.uniform()));
  }
}

/// Places NaN and infinities in one row of eight, and in one row at least. Most outputs must stay
/// independent of them.
void placeSpecials(verify::Tensor& tensor, Random& random) {
  constexpr std::size_t kRows = 8;
  constexpr std::array<double, 3> kSpecials = {std::numeric_limits<double>::quiet_NaN(),
                                               std::numeric_limits<double>::infinity(),
                                               -std::numeric_limits<double>::infinity()};
  const std::size_t length = rowLength(tensor.type);
  const auto count = static_cast<std::size_t>(tensor.type.count());
  const std::size_t rows = (count + length - 1) / std::max<std::size_t>(length, 1);
  for (std::size_t i = 0; count > 0 && i < (rows + kRows - 1) / kRows; ++i) {
    storeNumber(tensor, random.below(count), kSpecials[random.below(kSpecials.size())]);
  }
}

void shuffleElements(verify::Tensor& tensor, Random& random) {
  const std::size_t bytes = byteWidth(tensor.type.element);
  const auto count = static_cast<std::size_t>(tensor.type.count());
  for (std::size_t left = count; left > 1; --left) {
    std::byte* last = tensor.data.data() + (left - 1) * bytes;
    std::swap_ranges(last, last + bytes, tensor.data.data() + random.below(left) * bytes);
  }
}

/// Replaces one element of 64, and one at least, by another element.
void changeElements(verify::Tensor& tensor, Random& random) {
  constexpr std::size_t kUnchanged = 64;
  const std::vector<double> numbers = verify::toNumbers<double>(tensor);
  for (std::size_t i = 0; !numbers.empty() && i < numbers.size() / kUnchanged + 1; ++i) {
    storeNumber(tensor, random.below(numbers.size()), numbers[random.below(numbers.size())]);
  }
}

void scaleElements(verify::Tensor& tensor, double factor) {
  const std::vector<double> numbers = verify::toNumbers<double>(tensor);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    storeNumber(tensor, i, numbers[i] * factor);
  }
}

/// Turns values of the kind `unit` into those of another kind.
void applyKind(verify::Tensor& tensor, ValueKind kind, Random& random) {
  constexpr std::array<double, 3> kFactors = {0.5, 0.25, -0.5};
  switch (kind) {
    case ValueKind::outliers:
      placeOutliers(tensor, random);
      break;
    case ValueKind::specials:
      placeSpecials(tensor, random);
      break;
    case ValueKind::permuted:
      shuffleElements(tensor, random);
      break;
    case ValueKind::changed:
      changeElements(tensor, random);
      break;
    case ValueKind::scaled:
      scaleElements(tensor, kFactors[random.below(kFactors.size())]);
      break;
    default:
      break;
  }
}

}  // namespace

IntegerRange integerRange(const Argument& argument) {
  const bool isBit = argument.type.element == ElementType::i1;
  return argument.range.value_or(isBit ? IntegerRange{0, 2} : IntegerRange{-8, 9});
}

std::string_view nameOf(ValueKind kind) {
  switch (kind) {
    case ValueKind::unit:
      return "random values";
    case ValueKind::positive:
      return "positive values";
    case ValueKind::outliers:
      return "values with outliers";
    case ValueKind::specials:
      return "values with NaN and infinities";
    case ValueKind::permuted:
      return "permuted values";
    case ValueKind::changed:
      return "values changed at few places";
    case ValueKind::scaled:
      return "scaled values";
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
      fillIntegers(tensor, argument, random);
    } else if (kind == ValueKind::rows) {
      fillRows(tensor, random);
    } else {
      fillUniform(tensor, random, kind);
      applyKind(tensor, kind, random);
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

void replaceSpecials(std::vector<verify::Tensor>& inputs, double value) {
  for (verify::Tensor& input : inputs) {
    const std::vector<double> numbers = verify::toNumbers<double>(input);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!std::isfinite(numbers[i])) {
        storeNumber(input, i, value);
      }
    }
  }
}

std::size_t rowLength(const model::TensorType& type) {
  constexpr std::size_t kRowOfVector = 64;
  return type.shape.size() > 1
             ? std::max<std::size_t>(1, static_cast<std::size_t>(type.shape.back()))
             : kRowOfVector;
}

void storeNumber(verify::Tensor& tensor, std::size_t index, double value) {
  storeNumber(tensor.type.element, tensor.data, index, value);
}

void storeNumber(model::ElementType type, std::span<std::byte> data, std::size_t index,
                 double value) {
  switch (type) {
    case ElementType::f64:
      put(data, index, value);
      break;
    case ElementType::f32:
      put(data, index, static_cast<float>(value));
      break;
    case ElementType::f16:
      put(data, index, verify::toHalf(static_cast<float>(value)));
      break;
    case ElementType::bf16:
      put(data, index, verify::toBfloat(static_cast<float>(value)));
      break;
    case ElementType::i64:
      put(data, index, static_cast<std::int64_t>(value));
      break;
    case ElementType::i32:
      put(data, index, static_cast<std::int32_t>(value));
      break;
    case ElementType::i16:
      put(data, index, static_cast<std::int16_t>(value));
      break;
    case ElementType::i8:
    case ElementType::i1:
      put(data, index, static_cast<std::int8_t>(value));
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
