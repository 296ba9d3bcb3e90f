#include "report/data/graph_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::report {
namespace {

using ::testing::ElementsAre;

TEST(GraphLayout, PlacesSuccessorsBelow) {
  // Two inputs, a chain of two dispatches, one output; the second dispatch reads a third input.
  const auto places = layOutGraph(6, {{0, 3}, {1, 3}, {3, 4}, {2, 4}, {4, 5}});
  EXPECT_THAT(places, ElementsAre(GraphPlace{0, 0}, GraphPlace{0, 1}, GraphPlace{1, 1},
                                  GraphPlace{1, 0}, GraphPlace{2, 0}, GraphPlace{3, 0}));
}

TEST(GraphLayout, OrdersRowsByPredecessors) {
  // 0 -> 3 and 1 -> 2 do not cross.
  const auto places = layOutGraph(4, {{0, 3}, {1, 2}});
  EXPECT_LT(places[3].column, places[2].column);
}

TEST(GraphLayout, EndsForCyclesAndEmptyGraphs) {
  EXPECT_TRUE(layOutGraph(0, {}).empty());
  EXPECT_EQ(layOutGraph(3, {{0, 1}, {1, 0}, {2, 2}}).size(), 3u);
}

}  // namespace
}  // namespace hone::report
