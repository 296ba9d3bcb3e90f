#include "iree/module/module_walk.h"

#include <functional>

#include "base/text.h"
#include "iree/compile/compile_job.h"
#include "iree/module/recognize.h"

namespace hone::iree {
namespace {

MlirWalkResult callVisitor(MlirOperation operation, void* visitor) {
  return (*static_cast<Visitor*>(visitor))(operation);
}

std::vector<std::string> functionTypes(const CompilerApi& api, MlirType function, bool inputs) {
  std::vector<std::string> texts;
  const auto count = inputs ? api.functionInputs(function) : api.functionResults(function);
  for (std::intptr_t i = 0; i < count; ++i) {
    texts.push_back(
        api.typeText(inputs ? api.functionInput(function, i) : api.functionResult(function, i)));
  }
  return texts;
}

/// The phase after which a module looks like this one.
std::string phaseOf(const CompilerApi& api, const std::vector<MlirOperation>& children) {
  for (const MlirOperation child : children) {
    const std::string name = api.nameOf(child);
    if (name == "flow.executable") {
      return kPhaseFlow;
    }
    if (name == "hal.executable") {
      return kPhaseExecutableSources;
    }
  }
  return kPhaseStart;
}

/// Replaces the types of buffers in what is known of a function by those of the tensors in them.
void lookIntoBuffers(const CompilerApi& api, MlirOperation function, nlohmann::json& entry) {
  const auto put = [&](const char* list, std::intptr_t at, const std::string& type) {
    nlohmann::json& types = entry[list];
    if (static_cast<std::size_t>(at) < types.size()) {
      types[static_cast<std::size_t>(at)] = type;
    }
  };
  walk(api, function, [&](MlirOperation operation) {
    const std::string name = api.nameOf(operation);
    if (name == "hal.tensor.import" || name == "stream.tensor.import") {
      const MlirValue buffer = api.operationOperand(operation, 0);
      if (api.valueIsArgument(buffer)) {
        put("inputs", api.argumentNumber(buffer),
            name == "hal.tensor.import"
                ? api.typeText(api.valueType(api.operationResult(operation, 0)))
                : api.attributeText(operation, "result_encoding"));
      }
    } else if (name == "util.return") {
      for (std::intptr_t i = 0; i < api.operationOperands(operation); ++i) {
        const MlirValue result = api.operationOperand(operation, i);
        const MlirOperation owner =
            api.valueIsArgument(result) ? MlirOperation{nullptr} : api.resultOwner(result);
        if (owner.ptr == nullptr) {
          continue;
        }
        if (api.nameOf(owner) == "hal.tensor.export") {
          put("results", i, api.typeText(api.valueType(api.operationOperand(owner, 0))));
        } else if (api.nameOf(owner) == "stream.tensor.export") {
          put("results", i, api.attributeText(owner, "source_encoding"));
        }
      }
    }
    return MlirWalkResult::advance;
  });
}

}  // namespace

void walk(const CompilerApi& api, MlirOperation root, Visitor visitor) {
  api.operationWalk(root, callVisitor, &visitor, MlirWalkOrder::preOrder);
}

std::vector<MlirOperation> childrenOf(const CompilerApi& api, MlirOperation parent) {
  std::vector<MlirOperation> children;
  walk(api, parent, [&](MlirOperation operation) {
    if (operation.ptr == parent.ptr) {
      return MlirWalkResult::advance;
    }
    children.push_back(operation);
    return MlirWalkResult::skip;
  });
  return children;
}

std::string symbolOf(const CompilerApi& api, MlirOperation operation) {
  return api.stringAttribute(operation, "sym_name");
}

std::vector<std::int64_t> numbersIn(std::string text) {
  std::vector<std::int64_t> numbers;
  if (text.starts_with("array<")) {
    const auto colon = text.find(':');
    text = colon == std::string::npos ? "" : text.substr(colon + 1);
  }
  std::erase_if(text, [](char c) { return c == '[' || c == ']' || c == '>'; });
  for (const std::string& part : splitAt(text, ',')) {
    const std::string_view word = trim(part);
    if (const auto number = parseInt(word.substr(0, word.find(' ')))) {
      numbers.push_back(*number);
    }
  }
  return numbers;
}

std::string withFunction(std::string module, const std::string& function) {
  // Large constants stand after the module.
  const auto end = module.rfind("\n}", module.rfind("\n{-#"));
  module.insert(end + 1, function);
  return module;
}

std::vector<MlirOperation> executablesIn(const CompilerApi& api, MlirOperation module) {
  std::vector<MlirOperation> executables = childrenOf(api, module);
  std::erase_if(executables,
                [&](MlirOperation child) { return api.nameOf(child) != "hal.executable"; });
  return executables;
}

std::string dispatchAround(const CompilerApi& api, MlirOperation operation) {
  for (MlirOperation at = operation; at.ptr != nullptr; at = api.operationParent(at)) {
    if (api.nameOf(at) == "hal.executable") {
      return api.stringAttribute(at, "sym_name");
    }
  }
  return "";
}

nlohmann::json describeModule(const CompilerApi& api, MlirOperation module) {
  nlohmann::json functions = nlohmann::json::array();
  const std::vector<MlirOperation> children = childrenOf(api, module);
  const std::string from = phaseOf(api, children);
  for (const MlirOperation operation : children) {
    const std::string name = api.nameOf(operation);
    const bool isPublic = api.stringAttribute(operation, "sym_visibility") != "private";
    const MlirAttribute type =
        api.operationAttribute(operation, MlirStringRef::of("function_type"));
    if (!isPublic || (name != "func.func" && name != "util.func") || type.ptr == nullptr) {
      continue;
    }
    const MlirType function = api.typeOfAttribute(type);
    nlohmann::json entry = {{"name", api.stringAttribute(operation, "sym_name")},
                            {"inputs", functionTypes(api, function, true)},
                            {"results", functionTypes(api, function, false)},
                            {"from", from}};
    if (from != kPhaseStart) {
      lookIntoBuffers(api, operation, entry);
    }
    if (auto problem = recognizeProblem(api, operation)) {
      entry["problem"] = model::toJson(*problem);
    }
    functions.push_back(std::move(entry));
  }
  return functions;
}

}  // namespace hone::iree
