#include "kernel/judge/input/timed_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>

namespace hone::kernel {
namespace {

using model::ElementType;

Shape rowsShape(ElementType type) {
  Shape shape;
  shape.inputs = {{"X", {{32, 40}, type}}};
  return shape;
}

std::string rowText(const verify::Tensor& tensor, std::size_t row) {
  const std::size_t bytes = tensor.data.size() / 32;
  return {reinterpret_cast<const char*>(tensor.data.data()) + row * bytes, bytes};
}

TEST(TimedInputs, RepeatNoRow) {
  for (const ElementType type : {ElementType::f64, ElementType::f32, ElementType::f16,
                                 ElementType::bf16, ElementType::i32, ElementType::i8}) {
    const TimedInputs inputs(rowsShape(type), {});
    std::set<std::string> rows;
    for (int call = 0; call < 200; ++call) {
      const auto made = inputs.make(InputKey::draw().value());
      for (std::size_t row = 0; row < 32; ++row) {
        EXPECT_TRUE(rows.insert(rowText(made[0], row)).second) << nameOf(type) << call;
      }
    }
  }
}

TEST(TimedInputs, DependOnlyOnTheKey) {
  const TimedInputs inputs(rowsShape(ElementType::f32), {});
  const InputKey key = InputKey::draw().value();
  EXPECT_EQ(inputs.make(key)[0].data, inputs.make(key)[0].data);
  EXPECT_NE(inputs.make(InputKey::draw().value())[0].data, inputs.make(key)[0].data);
}

TEST(TimedInputs, HaveDominantElementsInSomeRowsOrNone) {
  const TimedInputs inputs(rowsShape(ElementType::f32), {});
  std::set<ValueKind> kinds;
  for (int call = 0; call < 64; ++call) {
    const InputKey key = InputKey::draw().value();
    const auto values = verify::toNumbers<double>(inputs.make(key)[0]);
    kinds.insert(inputs.kindFor(key));
    std::ptrdiff_t dominated = 0;
    for (std::size_t row = 0; row < 32; ++row) {
      const auto dominant = std::ranges::count_if(std::span(values).subspan(row * 40, 40),
                                                  [](double v) { return std::abs(v) > 500; });
      EXPECT_LE(dominant, 1);
      dominated += dominant;
    }
    EXPECT_EQ(dominated, inputs.kindFor(key) == ValueKind::outliers ? 4 : 0);
  }
  EXPECT_EQ(kinds.size(), 2u);
}

TEST(TimedInputs, HaveDominantElementInOnlyRow) {
  Shape shape;
  shape.inputs = {{"x", {{40}, ElementType::f32}}, {"empty", {{0, 4}, ElementType::f32}}};
  const TimedInputs inputs(shape, {});
  int dominated = 0;
  for (int call = 0; call < 64; ++call) {
    const auto values = verify::toNumbers<double>(inputs.make(InputKey::draw().value())[0]);
    dominated += std::ranges::any_of(values, [](double v) { return std::abs(v) > 500; }) ? 1 : 0;
  }
  EXPECT_GT(dominated, 8);
}

TEST(TimedInputs, KeepToTheirRange) {
  for (const ElementType type : {ElementType::f64, ElementType::f32, ElementType::f16}) {
    for (const TimedRange& range : kTimedRanges) {
      const TimedInputs inputs(rowsShape(type), {}, range);
      double least = 0;
      double most = 0;
      for (int call = 0; call < 64; ++call) {
        const auto values = verify::toNumbers<double>(inputs.make(InputKey::draw().value())[0]);
        const auto [low, high] = std::ranges::minmax(values);
        EXPECT_TRUE(!range.positive || low > 0) << low;
        least = std::min(least, low);
        most = std::max(most, high);
      }
      EXPECT_EQ(least < 0, !range.positive);
      EXPECT_EQ(most > 1, range.large);
    }
  }
}

TEST(TimedInputs, KeepConstrainedInputsInRange) {
  Shape shape;
  shape.inputs = {{"x", {{4, 5}, ElementType::f32}},
                  {"index", {{4}, ElementType::i64}},
                  {"variance", {{5}, ElementType::f32}}};
  shape.parameters = 1;
  std::vector<verify::Tensor> natural;
  for (const Argument& input : shape.inputs) {
    verify::Tensor tensor{{input.type.shape, ElementType::f64}, {}};
    tensor.data.resize(tensor.type.bytes());
    for (std::int64_t at = 0; at < tensor.type.count(); ++at) {
      storeNumber(tensor, static_cast<std::size_t>(at), 3);
    }
    natural.push_back(std::move(tensor));
  }
  const TimedInputs inputs(shape, natural);
  const auto one = inputs.make(InputKey::draw().value());
  const auto two = inputs.make(InputKey::draw().value());
  for (const double index : verify::toNumbers<double>(one[1])) {
    EXPECT_EQ(index, 3);
  }
  for (const double variance : verify::toNumbers<double>(one[2])) {
    EXPECT_GT(variance, 1);
  }
  EXPECT_NE(one[2].data, two[2].data);
  EXPECT_NE(one[0].data, two[0].data);
}

TEST(TimedInputs, KeepIntegersInTheirRange) {
  Shape shape;
  shape.inputs = {{"ids", {{64}, ElementType::i32}, IntegerRange{3, 50'000}},
                  {"small", {{64}, ElementType::i8}},
                  {"bits", {{64}, ElementType::i1}}};
  const auto inputs = TimedInputs(shape, {}).make(InputKey::draw().value());
  const auto bounds = [&](std::size_t index) {
    return std::ranges::minmax(verify::toNumbers<double>(inputs[index]));
  };
  EXPECT_EQ(bounds(0).min, 3);
  EXPECT_EQ(bounds(0).max, 49'999);
  EXPECT_EQ(bounds(1).min, -8);
  EXPECT_EQ(bounds(1).max, 8);
  EXPECT_EQ(bounds(2).min, 0);
  EXPECT_EQ(bounds(2).max, 1);
}

}  // namespace
}  // namespace hone::kernel
