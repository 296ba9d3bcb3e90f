#include "kernel/worker/stir.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>
#include <set>

namespace hone::kernel {
namespace {

TEST(Stir, ChangesInputsOfAllCallsButTheLast) {
  std::vector<std::int32_t> a(1000);
  std::vector<double> b(777);
  std::iota(a.begin(), a.end(), 0);
  std::iota(b.begin(), b.end(), 0.5);
  const auto originalA = a;
  const auto originalB = b;
  const std::vector<Stirrable> inputs = {{reinterpret_cast<std::byte*>(a.data()), a.size(), 4},
                                         {reinterpret_cast<std::byte*>(b.data()), b.size(), 8}};
  constexpr std::size_t kCalls = 50;
  Stir stir(7, inputs, kCalls);
  std::set<std::pair<std::vector<std::int32_t>, std::vector<double>>> seen;
  for (std::size_t i = 0; i < kCalls; ++i) {
    stir.before(i);
    EXPECT_TRUE(seen.insert({a, b}).second) << "call " << i;
  }
  EXPECT_EQ(a, originalA);
  EXPECT_EQ(b, originalB);
}

TEST(Stir, FollowsTheProtocol) {
  std::vector<std::uint8_t> data = {1, 2, 3, 4, 5};
  const std::vector<Stirrable> inputs = {{reinterpret_cast<std::byte*>(data.data()), 5, 1}};
  Stir stir(99, inputs, 2);
  Random random(99);
  const std::size_t to = random.below(5);
  const std::size_t from = random.below(5);
  std::vector<std::uint8_t> expected = data;
  expected[to] = expected[from];
  stir.before(0);
  EXPECT_EQ(data, expected);
}

TEST(Stir, AlwaysRestoresTheOriginal) {
  EXPECT_TRUE(rc::check("the last call sees the original", [](std::uint64_t seed) {
    const auto size = *rc::gen::inRange<std::size_t>(1, 20);
    const auto calls = *rc::gen::inRange<std::size_t>(1, 20);
    std::vector<std::uint16_t> data(size);
    std::iota(data.begin(), data.end(), std::uint16_t{0});
    const auto original = data;
    const std::vector<Stirrable> inputs = {{reinterpret_cast<std::byte*>(data.data()), size, 2}};
    Stir stir(seed, inputs, calls);
    for (std::size_t i = 0; i < calls; ++i) {
      stir.before(i);
    }
    RC_ASSERT(data == original);
  }));
}

}  // namespace
}  // namespace hone::kernel
