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

/// Perturbs the values. Zeros and ones stay close to themselves; positive values stay positive.
void perturbParameters(std::vector<double>& values, Random& random) {
  const double scale = rootMeanSquare(values);
  const double added = scale > 0 ? kAdded * scale : kAdded;
  for (double& value : values) {
    value *= 1 + kRelative * (2 * random.uniform() - 1);
    value += added * (2 * random.uniform() - 1);
  }
}

}  // namespace

void mixNatural(const Shape& shape, std::span<const verify::Tensor> natural, std::uint64_t seed,
                std::vector<verify::Tensor>& inputs) {
  Random random(seed);
  const std::size_t free = shape.inputs.size() - shape.parameters;
  for (std::size_t i = 0; i < natural.size() && i < inputs.size(); ++i) {
    const bool isFloat = model::isFloat(shape.inputs[i].type.element);
    if (i < free && isFloat) {
      continue;
    }
    auto values = verify::toNumbers<double>(natural[i]);
    if (isFloat) {
      perturbParameters(values, random);
    }
    for (std::size_t at = 0; at < values.size(); ++at) {
      storeNumber(inputs[i], at, values[at]);
    }
  }
}

}  // namespace hone::kernel
