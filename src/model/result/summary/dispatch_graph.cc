#include "model/result/summary/dispatch_graph.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/result/json_fields.h"

namespace hone::model {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> kKinds = {"input", "dispatch", "output"};

DispatchGraph::Node nodeFrom(const json& json) {
  const std::string kind = readText(json, "kind");
  const auto found = std::ranges::find(kKinds, kind);
  const auto index = found == kKinds.end() ? 1 : found - kKinds.begin();
  return {.kind = static_cast<DispatchGraph::Kind>(index),
          .name = readText(json, "name"),
          .constants = readField<std::int64_t>(json, "constants").value_or(0)};
}

DispatchGraph::Edge edgeFrom(const json& json) {
  return {.from = readField<std::size_t>(json, "from").value_or(0),
          .to = readField<std::size_t>(json, "to").value_or(0),
          .type = readText(json, "type")};
}

}  // namespace

json toJson(const DispatchGraph& graph) {
  json nodes = json::array();
  for (const DispatchGraph::Node& node : graph.nodes) {
    nodes.push_back({{"kind", kKinds[static_cast<std::size_t>(node.kind)]},
                     {"name", node.name},
                     {"constants", node.constants}});
  }
  json edges = json::array();
  for (const DispatchGraph::Edge& edge : graph.edges) {
    edges.push_back({{"from", edge.from}, {"to", edge.to}, {"type", edge.type}});
  }
  return {{"nodes", std::move(nodes)}, {"edges", std::move(edges)}};
}

DispatchGraph dispatchGraphFrom(const json& json) {
  DispatchGraph graph{.nodes = readList(json, "nodes", nodeFrom),
                      .edges = readList(json, "edges", edgeFrom)};
  std::erase_if(graph.edges, [&](const DispatchGraph::Edge& edge) {
    return edge.from >= graph.nodes.size() || edge.to >= graph.nodes.size();
  });
  return graph;
}

}  // namespace hone::model
