#include "kernel/judge/verify/reduction_length.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"
#include "kernel/judge/input/input_values.h"

namespace hone::kernel {
namespace {

/// Shorter sums get the tolerance of this length: elementwise functions have several roundings.
constexpr double kMinLength = 64;
/// Every input takes kProbes runs of the reference.
constexpr std::size_t kMaxInputs = 12;
constexpr int kProbes = 2;

double countElements(const std::vector<Argument>& arguments) {
  double count = 0;
  for (const Argument& argument : arguments) {
    count += static_cast<double>(argument.type.count());
  }
  return count;
}

/// Places large numbers, positive and negative ones, at four random places.
void disturb(verify::Tensor& tensor, Random& random) {
  constexpr std::array<double, 4> kValues = {16 * kLarge, -16 * kLarge, 12 * kLarge, -0.3};
  const auto count = static_cast<std::size_t>(tensor.type.count());
  for (const double value : kValues) {
    storeNumber(tensor, random.below(count), value);
  }
}

double countChanges(const Expected& one, const Expected& other) {
  double changes = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    for (std::size_t at = 0; at < one[i].size(); ++at) {
      const bool bothNan = std::isnan(one[i][at]) && std::isnan(other[i][at]);
      changes += one[i][at] == other[i][at] || bothNan ? 0 : 1;
    }
  }
  return changes;
}

}  // namespace

double maxReductionLength(const Shape& shape) {
  double longest = 1;
  for (const auto* arguments : {&shape.inputs, &shape.outputs}) {
    for (const Argument& argument : *arguments) {
      for (const std::int64_t dimension : argument.type.shape) {
        longest = std::max(longest, static_cast<double>(dimension));
      }
    }
  }
  const double outputs = std::max(countElements(shape.outputs), 1.0);
  return std::max({longest, countElements(shape.inputs) / outputs, shape.flops / (2 * outputs)});
}

Result<double> findReductionLength(const Shape& shape, const ComputeOutputs& compute,
                                   std::uint64_t seed) {
  const double most = maxReductionLength(shape);
  const bool selects = std::ranges::any_of(shape.inputs, [](const Argument& input) {
    return !model::isFloat(input.type.element) || input.type.count() == 0;
  });
  if (most <= kMinLength || selects || shape.inputs.size() > kMaxInputs) {
    return most;
  }
  Random random(seed);
  std::vector<verify::Tensor> inputs = makeInputs(shape, ValueKind::positive, seed);
  const Expected base = HONE_TRY(compute(inputs));
  const double outputs = std::max(countElements(shape.outputs), 1.0);
  double length = 0;
  for (verify::Tensor& input : inputs) {
    const verify::Tensor kept = input;
    double changes = 0;
    for (int probe = 0; probe < kProbes; ++probe) {
      disturb(input, random);
      changes = std::max(changes, countChanges(base, HONE_TRY(compute(inputs))));
      input = kept;
    }
    // An output depends on as many elements of an input as its elements have outputs, on average.
    length += changes * static_cast<double>(input.type.count()) / outputs;
  }
  return std::min(most, std::max({length, kMinLength, shape.flops / (2 * outputs)}));
}

}  // namespace hone::kernel
