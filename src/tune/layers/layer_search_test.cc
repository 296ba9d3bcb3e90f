#include "tune/layers/layer_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/executor/local_executor.h"
#include "engine/test_toolchain.h"
#include "tune/layers/layer_program.h"

namespace hone::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

model::Layer convolution(std::int64_t channels, std::int64_t filters, std::int64_t window) {
  const std::int64_t size = 10 - window + 1;
  model::Layer layer;
  layer.op = "linalg.conv_2d_nchw_fchw";
  layer.operands = {model::TensorType{{1, channels, 10, 10}},
                    model::TensorType{{filters, channels, window, window}},
                    model::TensorType{{1, filters, size, size}}};
  layer.result = layer.operands[2];
  layer.attributes = {{"strides", "dense<1> : tensor<2xi64>"},
                      {"dilations", "dense<1> : tensor<2xi64>"}};
  return layer;
}

model::TunedLayer knownLayer(const model::Layer& layer) {
  return {.layer = layer, .way = "matmul", .ns = {{"matmul", 5.0}}, .defaultNs = 9.0};
}

class LayerSearchTest : public ::testing::Test {
 protected:
  LayerSearch search(KnownLayers known = {}) {
    store::Run run;
    run.key = "k";
    run.command = "test";
    run_ = store_.addRun(run).value();
    executor_ = std::make_unique<engine::LocalExecutor>(store_, run_, progress_);
    const engine::TrialContext bench{
        toolchain_.compiler, toolchain_.runner, store_, progress_, run_, *executor_};
    return LayerSearch(bench, {.scope = "", .flags = toolchain_.flags, .known = std::move(known)});
  }

  engine::TestToolchain toolchain_;
  Progress progress_{true};
  store::Store store_ =
      store::Store::open(toolchain_.folder.path() / "s.db", store::Store::Mode::write).value();
  std::int64_t run_ = 0;
  std::unique_ptr<engine::LocalExecutor> executor_;
};

TEST_F(LayerSearchTest, ChoosesFastestMeasuredWay) {
  const std::vector<model::Layer> layers = {convolution(16, 32, 3)};
  LayerSearch searching = search();
  const auto choices = searching.run(layers, engine::BudgetClock({}), 1).value();
  ASSERT_THAT(searching.measured(), SizeIs(1));
  const model::TunedLayer& measured = searching.measured()[0];
  EXPECT_EQ(measured.ns.size(), waysFor(layers[0]).size());
  const auto best =
      std::ranges::min_element(measured.ns, {}, [](const auto& one) { return one.second; });
  EXPECT_EQ(best->first, measured.way);
  ASSERT_THAT(choices, SizeIs(1));
  EXPECT_EQ(nameOf(choices[0].way), measured.way);
  EXPECT_TRUE(measured.defaultNs);
  EXPECT_FALSE(measured.remembered);
}

TEST_F(LayerSearchTest, MeasuresDepthwiseLayers) {
  model::Layer layer;
  layer.op = "linalg.depthwise_conv_2d_nchw_chw";
  layer.operands = {model::TensorType{{1, 16, 10, 10}}, model::TensorType{{16, 3, 3}},
                    model::TensorType{{1, 16, 8, 8}}};
  layer.result = layer.operands[2];
  layer.attributes = {{"strides", "dense<1> : tensor<2xi64>"},
                      {"dilations", "dense<1> : tensor<2xi64>"}};
  LayerSearch searching = search();
  const auto choices = searching.run(std::vector{layer}, engine::BudgetClock({}), 1).value();
  EXPECT_THAT(choices, ElementsAre(LayerChoice{layer, Way::direct}));
  ASSERT_THAT(searching.measured(), SizeIs(1));
  EXPECT_THAT(searching.measured()[0].ns, SizeIs(1));
  EXPECT_TRUE(searching.measured()[0].defaultNs);
}

TEST_F(LayerSearchTest, UsesKnownWaysWithoutMeasuring) {
  const std::vector<model::Layer> layers = {convolution(16, 32, 3)};
  LayerSearch searching = search({{layers[0].key(), knownLayer(layers[0])}});
  const auto choices = searching.run(layers, engine::BudgetClock({}), 1).value();
  EXPECT_THAT(choices, ElementsAre(LayerChoice{layers[0], Way::matmul}));
  ASSERT_THAT(searching.measured(), SizeIs(1));
  EXPECT_TRUE(searching.measured()[0].remembered);
  EXPECT_THAT(searching.measured()[0].ns, SizeIs(1));
}

TEST_F(LayerSearchTest, EstimatesWhenBudgetIsSpent) {
  const std::vector<model::Layer> layers = {convolution(16, 32, 3), convolution(3, 8, 3),
                                            convolution(16, 16, 1)};
  std::int64_t now = 0;
  const engine::BudgetClock clock({std::chrono::milliseconds(1), {}},
                                  [&now] { return std::exchange(now, 1'000'000'000); });
  LayerSearch searching = search();
  const auto choices = searching.run(layers, clock, 0.5).value();
  EXPECT_THAT(searching.measured(), IsEmpty());
  ASSERT_THAT(choices, SizeIs(3));
  EXPECT_EQ(choices[0].way.method, Method::atOnce);
  EXPECT_TRUE(choices[0].way.tile);
  EXPECT_EQ(choices[1].way, Way::direct);
  EXPECT_EQ(choices[2].way.method, Method::matmul);
}

TEST_F(LayerSearchTest, IgnoresLayersWithLittleWork) {
  const std::vector<model::Layer> layers = {convolution(64, 2048, 3), convolution(1, 1, 1)};
  LayerSearch searching = search({{layers[0].key(), knownLayer(layers[0])}});
  ASSERT_TRUE(searching.run(layers, engine::BudgetClock({}), 1));
  ASSERT_THAT(searching.measured(), SizeIs(1));
  EXPECT_EQ(searching.measured()[0].layer, layers[0]);
}

TEST(ChoicesWithout, TakesNextBestMeasuredWay) {
  const model::Layer first = convolution(16, 32, 3);
  const model::Layer second = convolution(16, 8, 1);
  const std::vector<LayerChoice> choices = {{first, Way::packedMatmul},
                                            {second, Way::packedMatmul}};
  model::TunedLayer measured = knownLayer(first);
  measured.ns = {{"direct", 7.0}, {"packed matmul", 1.0}, {"per row", 3.0}};
  EXPECT_THAT(choicesWithout(Way::packedMatmul, choices, std::vector{measured}),
              ElementsAre(LayerChoice{first, Way::perRow}, choices[1]));
}

TEST_F(LayerSearchTest, MeasuresMoreLayersLater) {
  const std::vector<model::Layer> layers = {convolution(16, 16, 1), convolution(24, 16, 1)};
  LayerSearch searching = search({{layers[0].key(), knownLayer(layers[0])}});
  std::int64_t now = 0;
  const engine::BudgetClock spent({std::chrono::milliseconds(1), {}},
                                  [&now] { return std::exchange(now, 1'000'000'000); });
  ASSERT_TRUE(searching.run(layers, spent, 0.5));
  ASSERT_THAT(searching.measured(), SizeIs(1));
  const auto choices = searching.run(layers, engine::BudgetClock({}), 1).value();
  ASSERT_THAT(searching.measured(), SizeIs(2));
  EXPECT_EQ(searching.measured()[1].layer, layers[1]);
  EXPECT_EQ(choices[0].way, Way::matmul);
}

TEST(LikelyWay, ReordersOnlyFixedWeights) {
  model::Layer matmul;
  matmul.op = "linalg.matmul";
  matmul.operands = {model::TensorType{{16, 32}}, model::TensorType{{32, 64}},
                     model::TensorType{{16, 64}}};
  matmul.result = matmul.operands[2];
  EXPECT_TRUE(likelyWay(matmul).tile);
  matmul.fixedWeights = false;
  EXPECT_EQ(likelyWay(matmul), Way::matmul);
}

/// Dispatches with many products take minutes to compile.
TEST(LikelyWay, SumsUpRowsOfLargeFilters) {
  EXPECT_EQ(likelyWay(convolution(16, 32, 3)).method, Method::atOnce);
  EXPECT_EQ(likelyWay(convolution(16, 32, 5)).method, Method::perRow);
  EXPECT_EQ(likelyWay(convolution(64, 32, 5)).method, Method::perPosition);
}

TEST_F(LayerSearchTest, WritesProgramsForMatmuls) {
  model::Layer matmul;
  matmul.op = "linalg.matmul";
  matmul.operands = {model::TensorType{{16, 32}}, model::TensorType{{32, 24}},
                     model::TensorType{{16, 24}}};
  matmul.result = matmul.operands[2];
  for (const Way& way : waysFor(matmul)) {
    const auto program = toolchain_.load(layerProgram(matmul, way));
    ASSERT_TRUE(program) << program.error().message;
    EXPECT_THAT(program->inputTypes, ElementsAre("tensor<16x32xf32>"));
  }
}

}  // namespace
}  // namespace hone::tune
