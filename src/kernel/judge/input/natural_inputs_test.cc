#include "kernel/judge/input/natural_inputs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "kernel/judge/input/input_values.h"

namespace hone::kernel {
namespace {

using model::ElementType;

/// Returns a shape with two free inputs, one of them indices, and two parameters.
Shape makeTaskShape() {
  Shape shape;
  shape.inputs = {{"x", {{4, 5}, ElementType::f32}},
                  {"index", {{4}, ElementType::i64}},
                  {"variance", {{5}, ElementType::f32}},
                  {"bias", {{5}, ElementType::f16}}};
  shape.parameters = 2;
  return shape;
}

std::vector<verify::Tensor> makeNatural(const Shape& shape) {
  std::vector<verify::Tensor> natural;
  const std::array<double, 4> values = {7, 3, 1, 0};
  for (std::size_t i = 0; i < shape.inputs.size(); ++i) {
    verify::Tensor tensor{{shape.inputs[i].type.shape, ElementType::f64}, {}};
    tensor.data.resize(tensor.type.bytes());
    for (std::int64_t at = 0; at < tensor.type.count(); ++at) {
      storeNumber(tensor, static_cast<std::size_t>(at), values[i]);
    }
    natural.push_back(std::move(tensor));
  }
  return natural;
}

RC_GTEST_PROP(NaturalInputs, KeepsParametersInRangeButPerturbsThem, (std::uint64_t seed)) {
  const Shape shape = makeTaskShape();
  std::vector<verify::Tensor> inputs = makeInputs(shape, ValueKind::unit, seed);
  const std::vector<std::byte> free = inputs[0].data;
  mixNatural(shape, makeNatural(shape), seed, inputs);
  RC_ASSERT(inputs[0].data == free);
  for (const double index : verify::toNumbers<double>(inputs[1])) {
    RC_ASSERT(index == 3);
  }
  const auto variance = verify::toNumbers<double>(inputs[2]);
  RC_ASSERT(std::ranges::all_of(variance, [](double value) { return value > 0.5; }));
  RC_ASSERT(std::ranges::any_of(variance, [](double value) { return value != 1; }));
  const auto bias = verify::toNumbers<double>(inputs[3]);
  RC_ASSERT(std::ranges::any_of(bias, [](double value) { return value != 0; }));
}

TEST(NaturalInputs, ChangesNothingIfEmpty) {
  const Shape shape = makeTaskShape();
  const auto before = makeInputs(shape, ValueKind::unit, 3);
  auto after = before;
  mixNatural(shape, {}, 3, after);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].data, after[i].data);
  }
}

}  // namespace
}  // namespace hone::kernel
