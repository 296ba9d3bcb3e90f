#include "iree/module/module_description.h"

#include <algorithm>
#include <set>

#include "iree/module/module_calls.h"
#include "iree/module/module_walk.h"
#include "iree/module/problem/recognize.h"

namespace hone::iree {
namespace {

/// Returns the types of a function's inputs or results as MLIR text.
std::vector<std::string> functionTypes(const CompilerApi& api, MlirType function, bool inputs) {
  std::vector<std::string> texts;
  const auto count = inputs ? api.functionInputs(function) : api.functionResults(function);
  for (std::intptr_t i = 0; i < count; ++i) {
    texts.push_back(
        api.typeText(inputs ? api.functionInput(function, i) : api.functionResult(function, i)));
  }
  return texts;
}

/// Returns the last phase that the module has completed, judged by its operations.
std::string detectPhase(const CompilerApi& api, const std::vector<MlirOperation>& children) {
  for (const MlirOperation child : children) {
    const std::string name = api.opName(child);
    if (name == "flow.executable") {
      return kPhaseFlow;
    }
    if (name == "hal.executable") {
      return kPhaseExecutableSources;
    }
  }
  return kPhaseStart;
}

/// Returns the function that an operation calls, without its @; "" if it is not a direct call.
std::string calledFunction(const CompilerApi& api, MlirOperation operation) {
  if (api.opName(operation) != "util.call") {
    return "";
  }
  const MlirAttribute callee = api.operationAttribute(operation, MlirStringRef::of("callee"));
  return callee.ptr == nullptr ? "" : std::string(api.symbolValue(callee).view());
}

/// Replaces the types of buffers by the types of their tensors. Follows calls of `others`: a
/// synchronous function only calls its asynchronous form.
void resolveBufferTypes(const CompilerApi& api, MlirOperation function,
                        const std::vector<MlirOperation>& others, FunctionDescription& description);

/// Resolves the types of buffers that the function passes to, or gets from, a call.
void resolveCall(const CompilerApi& api, MlirOperation call,
                 const std::vector<MlirOperation>& others, FunctionDescription& callee) {
  const std::string name = calledFunction(api, call);
  const auto known =
      std::ranges::find_if(others, [&](MlirOperation one) { return symbolName(api, one) == name; });
  if (name.empty() || known == others.end()) {
    return;
  }
  const MlirAttribute type = api.operationAttribute(*known, MlirStringRef::of("function_type"));
  if (type.ptr == nullptr) {
    return;
  }
  callee.inputs = functionTypes(api, api.attributeType(type), true);
  callee.results = functionTypes(api, api.attributeType(type), false);
  resolveBufferTypes(api, *known, {}, callee);
}

void resolveBufferTypes(const CompilerApi& api, MlirOperation function,
                        const std::vector<MlirOperation>& others,
                        FunctionDescription& description) {
  const auto put = [](std::vector<std::string>& types, std::intptr_t at, std::string type) {
    if (static_cast<std::size_t>(at) < types.size()) {
      types[static_cast<std::size_t>(at)] = std::move(type);
    }
  };
  walk(api, function, [&](MlirOperation operation) {
    const std::string name = api.opName(operation);
    if (name == "hal.tensor.import" || name == "stream.tensor.import") {
      const MlirValue buffer = api.operationOperand(operation, 0);
      if (api.valueIsArgument(buffer)) {
        put(description.inputs, api.argumentNumber(buffer),
            name == "hal.tensor.import"
                ? api.typeText(api.valueType(api.operationResult(operation, 0)))
                : api.attributeText(operation, "result_encoding"));
      }
    } else if (name == "util.call") {
      FunctionDescription callee;
      resolveCall(api, operation, others, callee);
      for (std::size_t i = 0; i < callee.inputs.size(); ++i) {
        const MlirValue operand = api.operationOperand(operation, static_cast<std::intptr_t>(i));
        if (api.valueIsArgument(operand)) {
          put(description.inputs, api.argumentNumber(operand), callee.inputs[i]);
        }
      }
    } else if (name == "util.return") {
      for (std::intptr_t i = 0; i < api.operationOperands(operation); ++i) {
        const MlirValue result = api.operationOperand(operation, i);
        const MlirOperation owner =
            api.valueIsArgument(result) ? MlirOperation{nullptr} : api.resultOwner(result);
        if (owner.ptr == nullptr) {
          continue;
        }
        if (api.opName(owner) == "hal.tensor.export") {
          put(description.results, i, api.typeText(api.valueType(api.operationOperand(owner, 0))));
        } else if (api.opName(owner) == "stream.tensor.export") {
          put(description.results, i, api.attributeText(owner, "source_encoding"));
        } else if (api.opName(owner) == "util.call") {
          FunctionDescription callee;
          resolveCall(api, owner, others, callee);
          const auto number = static_cast<std::size_t>(api.resultNumber(result));
          if (number < callee.results.size()) {
            put(description.results, i, callee.results[number]);
          }
        }
      }
    }
    return MlirWalkResult::advance;
  });
}

/// Drops NAME$async if there is NAME, which has the same inputs and results and waits for it.
void dropAsynchronousForms(ModuleDescription& functions) {
  constexpr std::string_view kEnding = "$async";
  std::set<std::string, std::less<>> names;
  for (const FunctionDescription& function : functions) {
    names.insert(function.name);
  }
  std::erase_if(functions, [&](const FunctionDescription& function) {
    const std::string_view name = function.name;
    return name.ends_with(kEnding) && names.contains(name.substr(0, name.size() - kEnding.size()));
  });
}

}  // namespace

ModuleDescription describeModule(const CompilerApi& api, MlirOperation module) {
  ModuleDescription functions;
  const std::vector<MlirOperation> children = childOperations(api, module);
  const std::string from = detectPhase(api, children);
  const std::string recursion = findRecursion(api, module);
  for (const MlirOperation operation : children) {
    const std::string name = api.opName(operation);
    const bool isPublic = api.stringAttribute(operation, "sym_visibility") != "private";
    const MlirAttribute type =
        api.operationAttribute(operation, MlirStringRef::of("function_type"));
    if (!isPublic || (name != "func.func" && name != "util.func") || type.ptr == nullptr) {
      continue;
    }
    const MlirType function = api.attributeType(type);
    FunctionDescription description{.name = api.stringAttribute(operation, "sym_name"),
                                    .inputs = functionTypes(api, function, true),
                                    .results = functionTypes(api, function, false),
                                    .from = from,
                                    .problem = recognizeProblem(api, operation),
                                    .recursion = recursion};
    if (name == "util.func") {
      resolveBufferTypes(api, operation, children, description);
    }
    functions.push_back(std::move(description));
  }
  dropAsynchronousForms(functions);
  return functions;
}

}  // namespace hone::iree
