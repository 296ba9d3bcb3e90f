#include "iree/module/matcher_text.h"

#include <fmt/format.h>

#include <span>
#include <vector>

#include "base/text.h"
#include "iree/module/module_walk.h"
#include "iree/module/structure_matcher.h"

namespace hone::iree {
namespace {

MlirType operandType(const CompilerApi& api, MlirOperation operation, std::intptr_t operand) {
  return api.valueType(api.operationOperand(operation, operand));
}

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

/// Whether a value that is used within the operation is made outside of it without being an
/// operand; an example of the operation that stands alone cannot have such a value.
bool captures(const CompilerApi& api, MlirOperation operation) {
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

/// The operation alone, on arguments, as MLIR's own printer writes it.
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
  // Without the function's first line, its return and its brace.
  return fmt::format("^bb0({}):\n{}\n", list,
                     join(std::span(lines).subspan(1, lines.size() - 3), "\n"));
}

nlohmann::json fromExample(const CompilerApi& api, MlirOperation operation) {
  const auto types = typeTexts(api, operation);
  nlohmann::json entry = {{"op", api.nameOf(operation)}, {"types", types}};
  if (!isStatic(api, operation)) {
    entry["why_not"] = "its shape is known only at run time";
    return entry;
  }
  if (!captures(api, operation)) {
    const std::string example = exampleText(api, operation, types);
    entry["kind"] = "dag";
    entry["matcher"] = fmt::format(
        "%ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {{\n{}}} : "
        "(!transform.any_op) -> (!transform.any_value, !transform.any_value)\n",
        example);
    if (example.empty()) {
      entry["why_not"] = "its operation cannot be written on its own";
    }
    return entry;
  }
  std::string text = fmt::format(
      "transform.match.operation_name %op [\"{}\"] : !transform.any_op\n", api.nameOf(operation));
  for (std::size_t i = 0; i < types.size(); ++i) {
    text += fmt::format(
        "%operand{0} = transform.get_operand %op[{0}] : (!transform.any_op) -> "
        "!transform.any_value\n"
        "transform.iree.match.cast_compatible_type %operand{0} = {1} : !transform.any_value\n",
        i, types[i]);
  }
  entry["exact"] = false;
  entry["matcher"] = std::move(text);
  return entry;
}

}  // namespace

nlohmann::json matcherOf(const CompilerApi& api, MlirOperation operation) {
  const auto structure = structureMatcherOf(api, operation);
  return structure ? *structure : fromExample(api, operation);
}

}  // namespace hone::iree
