#include "model/result/summary/profile_row.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hone::model {
namespace {

TEST(ProfileRow, RoundTripsThroughJson) {
  ProfileRow row;
  row.dispatch = "d";
  row.arguments = {{"m", "1"}, {"n", "2"}};
  row.flops = 100;
  row.bytes = 50;
  row.verification = "FAILED";
  row.message = "why";
  EXPECT_EQ(profileRowFrom(toJson(row)).value(), row);
  row.lowNs = 9;
  row.timeNs = 10;
  row.highNs = 11;
  row.rounds = 5;
  row.attainableGflops = 20;
  EXPECT_EQ(profileRowFrom(toJson(row)).value(), row);
  EXPECT_DOUBLE_EQ(row.gflops(), 10);
  EXPECT_DOUBLE_EQ(row.gbps(), 5);
  EXPECT_DOUBLE_EQ(row.rooflineShare(), 0.5);
  EXPECT_FALSE(profileRowFrom({{"dispatch", 1}}));
}

}  // namespace
}  // namespace hone::model
