#include "model/problem/layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hone::model {
namespace {

using ::testing::ElementsAre;

Layer depthwise() {
  Layer layer;
  layer.op = "linalg.depthwise_conv_2d_nchw_chw";
  layer.operands = {TensorType{{1, 16, 12, 12}}, TensorType{{16, 3, 3}},
                    TensorType{{1, 16, 10, 10}}};
  layer.result = layer.operands[2];
  layer.attributes = {{"strides", "dense<1> : tensor<2xi64>"},
                      {"dilations", "dense<[1, 2]> : vector<2xi64>"}};
  layer.calls = 4;
  return layer;
}

TEST(Layer, ReadsSizesOfAttributes) {
  Layer layer = depthwise();
  EXPECT_THAT(layer.sizes("strides", 2), ElementsAre(1, 1));
  EXPECT_THAT(layer.sizes("dilations", 2), ElementsAre(1, 2));
  EXPECT_THAT(layer.sizes("missing", 2), ElementsAre(1, 1));
  layer.attributes["static_offsets"] = "array<i64: 0, 16, 0, 0>";
  EXPECT_THAT(layer.sizes("static_offsets", 4), ElementsAre(0, 16, 0, 0));
}

TEST(Layer, RestoresFromJson) {
  const auto restored = layerFrom(toJson(depthwise()));
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(*restored, depthwise());
  Layer variable = depthwise();
  variable.fixedWeights = false;
  EXPECT_EQ(layerFrom(toJson(variable)).value(), variable);
  EXPECT_FALSE(layerFrom(nlohmann::json::object()));
}

TEST(Layer, DistinguishesOperationsByKey) {
  Layer often = depthwise();
  often.calls = 9;
  EXPECT_EQ(often.key(), depthwise().key());
  Layer strided = depthwise();
  strided.attributes["strides"] = "dense<2> : tensor<2xi64>";
  EXPECT_NE(strided.key(), depthwise().key());
  Layer half = depthwise();
  half.operands[0].element = ElementType::f16;
  EXPECT_NE(half.key(), depthwise().key());
}

TEST(Layer, DescribesOperationWithSizes) {
  EXPECT_EQ(depthwise().describe(),
            "depthwise_conv_2d_nchw_chw 1x16x12x12 by 16x3x3, dilation 1x2");
  Layer strided = depthwise();
  strided.attributes = {{"strides", "dense<2> : tensor<2xi64>"}};
  EXPECT_EQ(strided.describe(), "depthwise_conv_2d_nchw_chw 1x16x12x12 by 16x3x3, stride 2");
}

}  // namespace
}  // namespace hone::model
