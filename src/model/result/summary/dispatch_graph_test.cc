#include "model/result/summary/dispatch_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hone::model {
namespace {

TEST(DispatchGraph, ReadsBackWhatItWrites) {
  const DispatchGraph graph{.nodes = {{DispatchGraph::Kind::input, "input0"},
                                      {DispatchGraph::Kind::dispatch, "f_dispatch_0_matmul", 2},
                                      {DispatchGraph::Kind::output, "output0"}},
                            .edges = {{0, 1, "tensor<4xf32>"}, {1, 2, "tensor<8xf32>"}}};
  const DispatchGraph read = dispatchGraphFrom(toJson(graph));
  ASSERT_EQ(read.nodes.size(), 3u);
  EXPECT_EQ(read.nodes[0].kind, DispatchGraph::Kind::input);
  EXPECT_EQ(read.nodes[1].name, "f_dispatch_0_matmul");
  EXPECT_EQ(read.nodes[1].constants, 2);
  EXPECT_EQ(read.nodes[2].kind, DispatchGraph::Kind::output);
  EXPECT_EQ(read.edges, graph.edges);
}

TEST(DispatchGraph, DropsEdgesOfMissingNodes) {
  const auto read = dispatchGraphFrom(nlohmann::json::parse(
      R"({"nodes": [{"kind": "dispatch", "name": "a"}], "edges": [{"from": 0, "to": 7}]})"));
  EXPECT_EQ(read.nodes.size(), 1u);
  EXPECT_TRUE(read.edges.empty());
}

}  // namespace
}  // namespace hone::model
