#include "knobs/loop_roles.h"

#include <algorithm>

namespace hone::knobs {
namespace {

bool inWindow(const model::RootOperand& operand, std::size_t loop) {
  return std::any_of(operand.loops.begin(), operand.loops.end(), [&](const auto& loops) {
    return loops.size() > 1 && std::find(loops.begin(), loops.end(), loop) != loops.end();
  });
}

}  // namespace

bool indexes(const model::RootOperand& operand, std::size_t loop) {
  return std::any_of(operand.loops.begin(), operand.loops.end(), [&](const auto& loops) {
    return std::find(loops.begin(), loops.end(), loop) != loops.end();
  });
}

std::optional<std::size_t> innermostLoop(const model::RootOperand& operand) {
  if (operand.loops.empty() || operand.loops.back().size() != 1) {
    return std::nullopt;
  }
  return operand.loops.back().front();
}

Result<LoopRoles> groupLoops(const model::RootOperation& root) {
  if (root.inputs.size() < 2 || root.outputs.empty()) {
    return userError("{}: expected two inputs and a result, got {}", root.dispatch, root.op);
  }
  LoopRoles roles;
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    const bool first = indexes(root.inputs[0], loop);
    const bool second = indexes(root.inputs[1], loop);
    if (root.loops[loop].reduction) {
      (inWindow(root.inputs[0], loop) ? roles.windows : roles.sums).push_back(loop);
    } else {
      (first && second ? roles.batch : second ? roles.columns : roles.rows).push_back(loop);
    }
  }
  return roles;
}

Result<void> checkLoops(const model::RootOperation& root) {
  if (root.loops.empty()) {
    return userError("{}: no loop to tile", root.dispatch);
  }
  if (std::any_of(root.loops.begin(), root.loops.end(),
                  [](const model::Loop& loop) { return loop.size < 0; })) {
    return userError("{}: dynamic shape; tuning needs static sizes", root.dispatch);
  }
  if (std::all_of(root.loops.begin(), root.loops.end(),
                  [](const model::Loop& loop) { return loop.size <= 1; })) {
    return userError("{}: no loop to tile, all have one iteration", root.dispatch);
  }
  return {};
}

}  // namespace hone::knobs
