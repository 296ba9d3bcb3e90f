#include "kernel/judge/input/natural_inputs.h"

#include <cmath>

#include "base/random.h"
#include "kernel/judge/input/input_values.h"

namespace hone::kernel {
namespace {

constexpr double kRelative = 0.25;
constexpr double kAdded = 0.1;

double rootMeanSquare(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) {
    sum += value * value;
  }
  return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

/// Perturbs a value. Zeros and ones stay close to themselves; positive values stay positive.
double perturb(double value, double noise, Random& random) {
  value *= 1 + kRelative * (2 * random.uniform() - 1);
  return value + noise * (2 * random.uniform() - 1);
}

}  // namespace

bool isConstrained(const Shape& shape, std::size_t input) {
  return input + shape.parameters >= shape.inputs.size() ||
         !model::isFloat(shape.inputs[input].type.element);
}

double parameterNoise(std::span<const double> values) {
  const double scale = rootMeanSquare(values);
  return scale > 0 ? kAdded * scale : kAdded;
}

void writeConstrained(const model::TensorType& type, std::span<const double> base, double noise,
                      std::uint64_t seed, std::span<std::byte> into) {
  Random random(seed);
  const bool floats = model::isFloat(type.element);
  for (std::size_t i = 0; i < base.size(); ++i) {
    storeNumber(type.element, into, i, floats ? perturb(base[i], noise, random) : base[i]);
  }
}

void mixNatural(const Shape& shape, std::span<const verify::Tensor> natural, std::uint64_t seed,
                std::vector<verify::Tensor>& inputs) {
  for (std::size_t i = 0; i < natural.size() && i < inputs.size(); ++i) {
    if (isConstrained(shape, i)) {
      const auto values = verify::toNumbers<double>(natural[i]);
      writeConstrained(inputs[i].type, values, parameterNoise(values), seed + i, inputs[i].data);
    }
  }
}

}  // namespace hone::kernel
