#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace hone::model {

/// The data flow between the dispatches of a program.
struct DispatchGraph {
  enum class Kind : std::uint8_t { input, dispatch, output };
  struct Node {
    Kind kind = Kind::dispatch;
    std::string name;            ///< the entry point of a dispatch, "input0", "output0"
    std::int64_t constants = 0;  ///< constants that a dispatch reads
  };
  struct Edge {
    std::size_t from = 0;  ///< index of a node
    std::size_t to = 0;
    std::string type;  ///< "tensor<32x2048xf32>"
    bool operator==(const Edge&) const = default;
  };
  std::vector<Node> nodes;  ///< inputs, then the calls of dispatches in order, then outputs
  std::vector<Edge> edges;
};

[[nodiscard]] nlohmann::json toJson(const DispatchGraph& graph);
/// Decodes a graph; edges between nodes that it does not have are dropped.
[[nodiscard]] DispatchGraph dispatchGraphFrom(const nlohmann::json& json);

}  // namespace hone::model
