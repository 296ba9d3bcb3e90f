#include "iree/module/module_calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "iree/module/module_walk.h"

namespace hone::iree {
namespace {

using Callees = std::set<std::string>;
using CallGraph = std::map<std::string, Callees>;

CallGraph readCalls(const CompilerApi& api, MlirOperation module) {
  CallGraph graph;
  for (const MlirOperation function : childOperations(api, module)) {
    Callees& callees = graph[symbolName(api, function)];
    walk(api, function, [&](MlirOperation operation) {
      const std::string kind = api.opName(operation);
      const MlirAttribute callee = api.operationAttribute(operation, MlirStringRef::of("callee"));
      if ((kind == "func.call" || kind == "util.call") && callee.ptr != nullptr) {
        callees.emplace(api.symbolValue(callee).view());
      }
      return MlirWalkResult::advance;
    });
  }
  return graph;
}

/// Depth-first search without recursion, since chains of calls may be long.
class CycleSearch {
 public:
  explicit CycleSearch(const CallGraph& graph) : graph_(graph) {}

  /// Returns the first cycle; "" if there is none.
  std::string run() {
    for (const auto& [name, callees] : graph_) {
      enter(name);
      while (!path_.empty()) {
        if (step()) {
          return describe();
        }
      }
    }
    return "";
  }

 private:
  struct Step {
    const std::string* function;
    Callees::const_iterator next;
    Callees::const_iterator end;
  };

  void enter(const std::string& name) {
    const auto known = graph_.find(name);
    if (known != graph_.end() && seen_.insert(name).second) {
      onPath_.insert(name);
      path_.push_back({&known->first, known->second.begin(), known->second.end()});
    }
  }

  /// Follows the next call of the last function. Returns true if it closes a cycle.
  bool step() {
    Step& last = path_.back();
    if (last.next == last.end) {
      onPath_.erase(*last.function);
      path_.pop_back();
      return false;
    }
    closing_ = *last.next++;
    if (onPath_.contains(closing_)) {
      return true;
    }
    enter(closing_);
    return false;
  }

  [[nodiscard]] std::string describe() const {
    std::string text;
    const auto begin =
        std::ranges::find_if(path_, [&](const Step& one) { return *one.function == closing_; });
    for (auto at = begin; at != path_.end(); ++at) {
      text += "@" + *at->function + " calls ";
    }
    return text + "@" + closing_;
  }

  const CallGraph& graph_;
  std::set<std::string> seen_;
  std::set<std::string> onPath_;
  std::vector<Step> path_;
  std::string closing_;  ///< the callee of the last step
};

}  // namespace

std::string findRecursion(const CompilerApi& api, MlirOperation module) {
  const CallGraph graph = readCalls(api, module);
  return CycleSearch(graph).run();
}

}  // namespace hone::iree
