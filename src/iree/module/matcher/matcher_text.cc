#include "iree/module/matcher/matcher_text.h"

#include <fmt/format.h>

#include <span>
#include <vector>

#include "base/text/text.h"
#include "iree/module/matcher/structure_matcher.h"
#include "iree/module/module_walk.h"

namespace hone::iree {
namespace {

bool isStatic(const CompilerApi& api, MlirOperation operation) {
  for (std::intptr_t i = 0; i < api.operationOperands(operation); ++i) {
    const MlirType type = operandType(api, operation, i);
    if (!api.typeIsShaped(type)) {
      continue;
    }
    if (!api.shapedHasRank(type)) {
      return false;
    }
    for (std::intptr_t d = 0; d < api.shapedRank(type); ++d) {
      if (api.shapedSize(type, d) < 0) {
        return false;
      }
    }
  }
  return true;
}

std::vector<std::string> typeTexts(const CompilerApi& api, MlirOperation operation) {
  std::vector<std::string> types;
  for (std::intptr_t i = 0; i < api.operationOperands(operation); ++i) {
    types.push_back(api.typeText(operandType(api, operation, i)));
  }
  return types;
}

/// Returns true if a region of the operation uses a value from outside that is not an operand. A
/// standalone example of the operation cannot have such a value.
bool capturesValues(const CompilerApi& api, MlirOperation operation) {
  bool found = false;
  walk(api, operation, [&](MlirOperation inner) {
    if (inner.ptr == operation.ptr) {
      return MlirWalkResult::advance;
    }
    for (std::intptr_t i = 0; i < api.operationOperands(inner); ++i) {
      const MlirValue value = api.operationOperand(inner, i);
      MlirOperation at = api.valueIsArgument(value) ? api.blockOwner(api.argumentOwner(value))
                                                    : api.resultOwner(value);
      while (at.ptr != nullptr && at.ptr != operation.ptr) {
        at = api.operationParent(at);
      }
      found = found || at.ptr == nullptr;
    }
    return MlirWalkResult::advance;
  });
  return found;
}

/// Prints the operation with block arguments as its operands.
std::string exampleText(const CompilerApi& api, MlirOperation operation,
                        const std::vector<std::string>& types) {
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < types.size(); ++i) {
    arguments.push_back(fmt::format("%arg{}: {}", i, types[i]));
  }
  const std::string list = join(arguments, ", ");
  const std::string shell = fmt::format("func.func private @example({}) {{\n  return\n}}\n", list);
  const MlirOperation function = api.operationParse(
      api.operationContext(operation), MlirStringRef::of(shell), MlirStringRef::of("example"));
  if (function.ptr == nullptr) {
    return "";
  }
  const MlirBlock block = api.regionBlock(api.operationRegion(function));
  const MlirOperation copy = api.operationClone(operation);
  for (std::intptr_t i = 0; i < api.operationOperands(copy); ++i) {
    api.operationSetOperand(copy, i, api.blockArgument(block, i));
  }
  api.blockInsert(block, 0, copy);
  auto lines = splitAt(api.localText(function), '\n');
  api.operationErase(function);
  while (!lines.empty() && trim(lines.back()).empty()) {
    lines.pop_back();
  }
  if (lines.size() < 4) {
    return "";
  }
  // Drop the function's first line, its return and its brace.
  return fmt::format("^bb0({}):\n{}\n", list,
                     join(std::span(lines).subspan(1, lines.size() - 3), "\n"));
}

OperationMatcher fromExample(const CompilerApi& api, MlirOperation operation) {
  OperationMatcher result;
  result.matched.op = api.opName(operation);
  result.matched.types = typeTexts(api, operation);
  const std::vector<std::string>& types = result.matched.types;
  if (!isStatic(api, operation)) {
    result.failureReason = "it has dynamic shapes";
    return result;
  }
  if (!capturesValues(api, operation)) {
    const std::string example = exampleText(api, operation, types);
    result.matched.kind = "dag";
    result.matcher = fmt::format(
        "%ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {{\n{}}} : "
        "(!transform.any_op) -> (!transform.any_value, !transform.any_value)\n",
        example);
    if (example.empty()) {
      result.failureReason = "its operation cannot be printed separately";
    }
    return result;
  }
  result.matcher = fmt::format("transform.match.operation_name %op [\"{}\"] : !transform.any_op\n",
                               result.matched.op);
  for (std::size_t i = 0; i < types.size(); ++i) {
    result.matcher += fmt::format(
        "%operand{0} = transform.get_operand %op[{0}] : (!transform.any_op) -> "
        "!transform.any_value\n"
        "transform.iree.match.cast_compatible_type %operand{0} = {1} : !transform.any_value\n",
        i, types[i]);
  }
  result.exact = false;
  return result;
}

}  // namespace

OperationMatcher makeMatcher(const CompilerApi& api, MlirOperation operation) {
  auto structure = matchStructure(api, operation);
  return structure ? std::move(*structure) : fromExample(api, operation);
}

}  // namespace hone::iree
