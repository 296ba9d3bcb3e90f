#include "tune/proof.h"

#include <gtest/gtest.h>

namespace hone::tune {
namespace {

trial::Finding timed(std::vector<double> times) {
  trial::Finding finding;
  finding.roundTimesNs = std::move(times);
  return finding;
}

bool helpsWith(double expectedGain, const trial::Finding& with, const trial::Finding& missing) {
  return helps({"entry", expectedGain}, with, missing, {});
}

constexpr double kMuch = 0.1;
constexpr double kLittle = 0.01;

TEST(Helps, WhatShowsDecides) {
  const auto quick = timed({100, 101, 99, 100, 100, 101, 99, 100});
  const auto slow = timed({110, 111, 109, 110, 110, 111, 109, 110});
  EXPECT_TRUE(helpsWith(kMuch, quick, slow));
  EXPECT_TRUE(helpsWith(kLittle, quick, slow));
  EXPECT_FALSE(helpsWith(kMuch, slow, quick));
  EXPECT_FALSE(helpsWith(kLittle, slow, quick));
}

TEST(Helps, AGainThatShouldHaveShownAndDoesNotSpeaksAgainstIt) {
  const auto one = timed({1000, 1001, 999, 1000, 1002, 998, 1000, 1001});
  const auto other = timed({1001, 1000, 1000, 999, 1001, 999, 1001, 1000});
  EXPECT_FALSE(helpsWith(kMuch, one, other));
  EXPECT_TRUE(helpsWith(kLittle, one, other)) << "so little cannot show";
}

TEST(Helps, RoundsThatTellNothingDoNot) {
  const auto noisy = timed({100, 160, 90, 150, 80, 140, 120, 70});
  const auto noise = timed({150, 90, 150, 80, 140, 85, 60, 130});
  EXPECT_TRUE(helpsWith(kMuch, noisy, noise));
  EXPECT_TRUE(helpsWith(kMuch, timed({}), timed({})));
  EXPECT_TRUE(helpsWith(kMuch, timed({100, 100, 100}), timed({100, 100, 100})));
  auto failed = timed({90, 90, 90, 90, 90, 90});
  failed.outcome = model::Outcome::runFailed;
  EXPECT_TRUE(helpsWith(kMuch, timed({100, 100, 100, 100, 100, 100}), failed));
}

}  // namespace
}  // namespace hone::tune
