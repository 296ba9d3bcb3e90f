#include "iree/module/dispatches/module_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "iree/module/module_walk.h"

namespace hone::iree {
namespace {

using model::DispatchGraph;

/// Returns "b" for "[@a::@b]".
std::string parseEntryPoint(const std::string& entryPoints) {
  const auto at = entryPoints.rfind('@');
  return at == std::string::npos ? entryPoints
                                 : entryPoints.substr(at + 1, entryPoints.find(']', at) - at - 1);
}

/// Builds the graph of one program.
class GraphBuilder {
 public:
  explicit GraphBuilder(const CompilerApi& api) : api_(api) {}

  void addFunction(MlirOperation function) {
    walk(api_, function, [&](MlirOperation operation) {
      const std::string name = api_.opName(operation);
      if (name == "hal.tensor.import") {
        addNode(operation, DispatchGraph::Kind::input, "input");
      } else if (name == "flow.dispatch") {
        addNode(operation, DispatchGraph::Kind::dispatch, "");
      } else if (name == "hal.tensor.export") {
        addNode(operation, DispatchGraph::Kind::output, "output");
      }
      return MlirWalkResult::advance;
    });
  }

  DispatchGraph finish() {
    sortNodes();
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (graph_.nodes[i].kind != DispatchGraph::Kind::input) {
        addEdges(i);
      }
    }
    return std::move(graph_);
  }

 private:
  [[nodiscard]] bool isTensor(MlirValue value) const {
    return api_.typeText(api_.valueType(value)).starts_with("tensor<");
  }

  void addNode(MlirOperation operation, DispatchGraph::Kind kind, const std::string& prefix) {
    std::string name = prefix.empty()
                           ? parseEntryPoint(api_.attributeText(operation, "entry_points"))
                           : api_.stringAttribute(operation, "name");
    if (name.empty()) {
      name = fmt::format("{}{}", prefix, counts_[prefix]);
    }
    ++counts_[prefix];
    graph_.nodes.push_back({.kind = kind, .name = std::move(name)});
    operations_.push_back(operation);
  }

  /// Orders the nodes as declared in DispatchGraph.
  void sortNodes() {
    std::vector<std::size_t> order(operations_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    std::ranges::stable_sort(order, {},
                             [&](std::size_t i) { return static_cast<int>(graph_.nodes[i].kind); });
    std::vector<DispatchGraph::Node> nodes;
    std::vector<MlirOperation> operations;
    for (const std::size_t i : order) {
      at_[operations_[i].ptr] = nodes.size();
      nodes.push_back(std::move(graph_.nodes[i]));
      operations.push_back(operations_[i]);
    }
    graph_.nodes = std::move(nodes);
    operations_ = std::move(operations);
  }

  void addEdges(std::size_t node) {
    std::map<const void*, bool> seen;
    for (std::intptr_t i = 0; i < api_.operationOperands(operations_[node]); ++i) {
      const MlirValue value = api_.operationOperand(operations_[node], i);
      if (isTensor(value)) {
        addSources(value, node, api_.typeText(api_.valueType(value)), seen);
      }
    }
  }

  /// Adds edges from the nodes that produce the value, through operations that only move data.
  void addSources(MlirValue value, std::size_t node, const std::string& type,
                  std::map<const void*, bool>& seen) {
    if (!seen.emplace(value.ptr, true).second || api_.valueIsArgument(value)) {
      return;
    }
    const MlirOperation owner = api_.resultOwner(value);
    if (const auto known = at_.find(owner.ptr); known != at_.end()) {
      graph_.edges.push_back({.from = known->second, .to = node, .type = type});
      return;
    }
    bool constant = true;
    for (std::intptr_t i = 0; i < api_.operationOperands(owner); ++i) {
      const MlirValue operand = api_.operationOperand(owner, i);
      if (isTensor(operand)) {
        constant = false;
        addSources(operand, node, type, seen);
      }
    }
    const std::string name = api_.opName(owner);
    const bool empty = name == "flow.tensor.empty" || name == "flow.tensor.splat";
    graph_.nodes[node].constants += constant && !empty ? 1 : 0;
  }

  const CompilerApi& api_;
  DispatchGraph graph_;
  std::vector<MlirOperation> operations_;  ///< one per node
  std::map<const void*, std::size_t> at_;  ///< node of an operation
  std::map<std::string, std::size_t> counts_;
};

}  // namespace

DispatchGraph dispatchGraphIn(const CompilerApi& api, MlirOperation module) {
  GraphBuilder builder(api);
  for (const MlirOperation top : childOperations(api, module)) {
    const std::string name = api.opName(top);
    if (name == "util.func" || name == "func.func") {
      builder.addFunction(top);
    }
  }
  return builder.finish();
}

std::string dispatchText(const CompilerApi& api, MlirOperation module, std::string_view dispatch) {
  std::string text;
  for (const MlirOperation executable : executablesIn(api, module)) {
    if (symbolName(api, executable) != dispatch) {
      continue;
    }
    walk(api, executable, [&](MlirOperation operation) {
      if (api.opName(operation) != "func.func") {
        return MlirWalkResult::advance;
      }
      text += api.localText(operation) + "\n";
      return MlirWalkResult::skip;
    });
  }
  return text;
}

}  // namespace hone::iree
