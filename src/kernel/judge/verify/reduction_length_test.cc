#include "kernel/judge/verify/reduction_length.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernel/judge/task/reference_text.h"
#include "kernel/source/test_kernels.h"

namespace hone::kernel {
namespace {

using model::ElementType;

/// A shape with one input and one output.
Shape makeShape(std::vector<std::int64_t> input, std::vector<std::int64_t> output) {
  Shape shape;
  shape.inputs = {{"X", {std::move(input), ElementType::f32}}};
  shape.outputs = {{"Y", {std::move(output), ElementType::f32}}};
  return shape;
}

/// Returns the length for a reference that computes an output from one input.
double findLength(const Shape& shape,
                  const std::function<std::vector<double>(const std::vector<double>&)>& reference) {
  const auto compute = [&](std::span<const verify::Tensor> inputs) -> Result<Expected> {
    return Expected{reference(verify::toNumbers<double>(inputs[0]))};
  };
  return findReductionLength(shape, compute, 3).value();
}

TEST(MaxReductionLength, IsLargestEstimate) {
  const Task task = taskFromReference(kMatmulReference, "a").value();
  EXPECT_EQ(maxReductionLength(task.shape), 40);  // N, above K = 32
  Shape sum = makeShape({100, 100}, {1});
  EXPECT_EQ(maxReductionLength(sum), 10'000);
  sum.flops = 1e6;
  EXPECT_EQ(maxReductionLength(sum), 5e5);
}

TEST(ReductionLength, IsShortForElementwiseFunctions) {
  const auto square = [](std::vector<double> x) {
    std::ranges::transform(x, x.begin(), [](double v) { return v * v; });
    return x;
  };
  EXPECT_EQ(findLength(makeShape({100'000}, {100'000}), square), 64);
  EXPECT_EQ(findLength(makeShape({20}, {20}), square), 20);
}

TEST(ReductionLength, CoversSumsMaximaAndPrefixes) {
  const Shape total = makeShape({5000}, {1});
  EXPECT_EQ(findLength(total,
                       [](const auto& x) {
                         return std::vector{std::accumulate(x.begin(), x.end(), 0.0)};
                       }),
            5000);
  EXPECT_EQ(
      findLength(total, [](const auto& x) { return std::vector{*std::ranges::max_element(x)}; }),
      5000);
  const double prefix = findLength(makeShape({5000}, {5000}), [](const auto& x) {
    std::vector<double> sums(x.size());
    std::partial_sum(x.begin(), x.end(), sums.begin());
    return sums;
  });
  EXPECT_GT(prefix, 1000);
  EXPECT_LE(prefix, 5000);
}

TEST(ReductionLength, IsThatOfRowsInTallMatrices) {
  const double rows = findLength(makeShape({2000, 100}, {2000}), [](const auto& x) {
    std::vector<double> sums(2000);
    for (std::size_t i = 0; i < x.size(); ++i) {
      sums[i / 100] += x[i];
    }
    return sums;
  });
  EXPECT_GE(rows, 100);
  EXPECT_LE(rows, 400);
}

TEST(ReductionLength, IsMaximumIfInputsSelectElements) {
  Shape shape = makeShape({5000}, {5000});
  shape.inputs.push_back({"ids", {{5000}, ElementType::i32}});
  const auto same = [](const auto& x) { return x; };
  EXPECT_EQ(findLength(shape, same), 5000);
  shape.inputs.pop_back();
  EXPECT_EQ(findLength(shape, same), 64);
  shape.flops = 2 * 5000 * 300;
  EXPECT_EQ(findLength(shape, same), 300);
}

}  // namespace
}  // namespace hone::kernel
