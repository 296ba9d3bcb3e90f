#include "split/look_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::split {
namespace {

using testing::ElementsAre;

Choice limitOf(std::int64_t limit) {
  Choice choice;
  choice.limits = {limit};
  return choice;
}

TEST(LookOrder, TheBaselineThenFromTheMiddleOutward) {
  Choice baseline = limitOf(2048);
  baseline.isBaseline = true;
  Choice whole;
  whole.isNoSplit = true;
  const std::vector<Choice> choices = {baseline,    whole,       limitOf(1),   limitOf(8),
                                       limitOf(16), limitOf(32), limitOf(128), limitOf(1024)};
  EXPECT_THAT(lookOrder(choices), ElementsAre(0, 5, 4, 3, 6, 2, 7, 1));
  EXPECT_TRUE(lookOrder({}).empty());
}

TEST(Outskirts, BeginBehindTwoHopelessOnesInARowOnOneSide) {
  Outskirts outskirts;
  outskirts.note(limitOf(128), true);
  EXPECT_FALSE(outskirts.beyond(limitOf(256)));
  outskirts.note(limitOf(256), false);
  outskirts.note(limitOf(512), true);
  EXPECT_FALSE(outskirts.beyond(limitOf(1024)));
  outskirts.note(limitOf(1024), true);
  EXPECT_TRUE(outskirts.beyond(limitOf(2048)));
  EXPECT_FALSE(outskirts.beyond(limitOf(8)));
  Choice baseline = limitOf(2048);
  baseline.isBaseline = true;
  EXPECT_FALSE(outskirts.beyond(baseline));
}

}  // namespace
}  // namespace hone::split
