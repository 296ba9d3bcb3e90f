#include "tune/program/history.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"

namespace hone::tune {
namespace {

model::RootOperation linalgMatmul(std::int64_t m, std::int64_t n, std::int64_t k) {
  model::RootOperation root;
  root.op = "linalg.matmul";
  root.kind = model::RootKind::contraction;
  root.loops = {{m, false}, {n, false}, {k, true}};
  root.inputs = {{{m, k}, "f32", {{0}, {2}}}, {{k, n}, "f32", {{2}, {1}}}};
  root.outputs = {{{m, n}, "f32", {{0}, {1}}}};
  return root;
}

TEST(History, DistanceFollowsLoopSizes) {
  EXPECT_EQ(distanceBetween(linalgMatmul(64, 64, 64), linalgMatmul(64, 64, 64)), 0.0);
  EXPECT_EQ(distanceBetween(linalgMatmul(64, 64, 64), linalgMatmul(128, 64, 16)), 3.0);
  model::RootOperation transposed = linalgMatmul(64, 64, 64);
  transposed.inputs[1].loops = {{1}, {2}};
  EXPECT_EQ(distanceBetween(linalgMatmul(64, 64, 64), transposed), std::nullopt);
  model::RootOperation half = linalgMatmul(64, 64, 64);
  half.inputs[0].element = "f16";
  EXPECT_EQ(distanceBetween(linalgMatmul(64, 64, 64), half), std::nullopt);
}

TEST(History, OrdersPointsBySimilarity) {
  const search::Space space({{"rows", {4, 8, 16}}}, {{4}, {8}, {16}});
  const std::vector<Precedent> known = {{linalgMatmul(1024, 64, 64), "rows=3"},
                                        {linalgMatmul(64, 64, 64), "rows=64"},
                                        {linalgMatmul(64, 64, 128), "rows=16"}};
  EXPECT_EQ(likelyPoints(known, linalgMatmul(64, 64, 64), space), (std::vector<std::size_t>{2, 0}));
  EXPECT_TRUE(likelyPoints(known, model::RootOperation{}, space).empty());
}

TEST(History, ReadsFinishedRunsOfSameTargetAndCpu) {
  const ScratchFolder folder = ScratchFolder::create("hone-history").value();
  auto store = store::Store::open(folder.path() / "s.db", store::Store::Mode::write).value();
  const auto add = [&](const std::string& target, const std::string& cpu, const char* point) {
    store::Run run;
    run.command = "tune";
    run.target = target;
    run.cpu = cpu;
    const std::int64_t id = store.addRun(run).value();
    const nlohmann::json precedent = {{"root", model::toJson(linalgMatmul(8, 8, 8))},
                                      {"point", point}};
    return store.finishRun(id, store::RunStatus::finished, {{"precedents", {precedent}}});
  };
  ASSERT_TRUE(add("local", "this", "rows=1"));
  ASSERT_TRUE(add("local", "another", "rows=2"));
  ASSERT_TRUE(add("vulkan", "this", "rows=3"));
  store::Run like;
  like.target = "local";
  like.cpu = "this";
  const auto found = readHistory(store, like)->precedents;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].point, "rows=1");
  EXPECT_EQ(found[0].root, linalgMatmul(8, 8, 8));
}

TEST(History, RemembersWaysOfLayersPerDeviceAndCompiler) {
  const ScratchFolder folder = ScratchFolder::create("hone-history").value();
  auto store = store::Store::open(folder.path() / "s.db", store::Store::Mode::write).value();
  const auto add = [&](const char* compiler, std::int64_t channels, const char* way) {
    store::Run run;
    run.command = "tune";
    run.compilerRevision = compiler;
    model::TunedLayer layer;
    layer.layer.op = "linalg.conv_2d_nchw_fchw";
    layer.layer.operands = {model::TensorType{{1, channels, 8, 8}}};
    layer.way = way;
    layer.ns = {{way, 5.0}};
    model::TuneResult result;
    result.programs.emplace_back().layers = {layer};
    const std::int64_t id = store.addRun(run).value();
    EXPECT_TRUE(store.finishRun(id, store::RunStatus::finished, model::toJson(result)));
    return layer.layer.key();
  };
  const std::string first = add("3.13", 8, "matmul");
  EXPECT_EQ(add("3.13", 8, "per position"), first);
  const std::string other = add("3.12", 16, "direct");
  const std::string unknown = add("3.13", 32, "by hand");
  store::Run like;
  like.compilerRevision = "3.13";
  const KnownLayers ways = readHistory(store, like)->layers;
  ASSERT_TRUE(ways.contains(first));
  EXPECT_EQ(ways.at(first).way, nameOf(Way::perPosition));
  EXPECT_FALSE(ways.contains(other));
  EXPECT_FALSE(ways.contains(unknown));
}

TEST(History, ForgetsLayersWhoseWaysWereNotCompared) {
  const ScratchFolder folder = ScratchFolder::create("hone-history").value();
  auto store = store::Store::open(folder.path() / "s.db", store::Store::Mode::write).value();
  model::TunedLayer layer;
  layer.layer.op = "linalg.matmul";
  layer.layer.operands = {model::TensorType{{16, 32}}, model::TensorType{{32, 64}},
                          model::TensorType{{16, 64}}};
  layer.layer.result = layer.layer.operands[2];
  layer.way = "matmul";
  layer.ns = {{"matmul", 5.0}};
  const auto remembers = [&] {
    store::Run run;
    run.command = "tune";
    model::TuneResult result;
    result.programs.emplace_back().layers = {layer};
    const std::int64_t id = store.addRun(run).value();
    EXPECT_TRUE(store.finishRun(id, store::RunStatus::finished, model::toJson(result)));
    return readHistory(store, {})->layers.contains(layer.layer.key());
  };
  EXPECT_FALSE(remembers());
  layer.ns.emplace("packed matmul", 6.0);
  EXPECT_TRUE(remembers());
}

}  // namespace
}  // namespace hone::tune
