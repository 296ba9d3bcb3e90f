#include "iree/module/module_walk.h"

#include <functional>

namespace hone::iree {
namespace {

MlirWalkResult callVisitor(MlirOperation operation, void* visitor) {
  return (*static_cast<Visitor*>(visitor))(operation);
}

}  // namespace

void walk(const CompilerApi& api, MlirOperation root, Visitor visitor) {
  api.operationWalk(root, callVisitor, &visitor, MlirWalkOrder::preOrder);
}

std::vector<MlirOperation> childOperations(const CompilerApi& api, MlirOperation parent) {
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

std::string symbolName(const CompilerApi& api, MlirOperation operation) {
  return api.stringAttribute(operation, "sym_name");
}

MlirType operandType(const CompilerApi& api, MlirOperation operation, std::intptr_t operand) {
  return api.valueType(api.operationOperand(operation, operand));
}

std::string withFunction(std::string module, const std::string& function) {
  // Large constants are printed after the module.
  const auto end = module.rfind("\n}", module.rfind("\n{-#"));
  module.insert(end + 1, function);
  return module;
}

std::vector<MlirOperation> executablesIn(const CompilerApi& api, MlirOperation module) {
  std::vector<MlirOperation> executables = childOperations(api, module);
  std::erase_if(executables,
                [&](MlirOperation child) { return api.opName(child) != "hal.executable"; });
  return executables;
}

std::string dispatchAround(const CompilerApi& api, MlirOperation operation) {
  for (MlirOperation at = operation; at.ptr != nullptr; at = api.operationParent(at)) {
    if (api.opName(at) == "hal.executable") {
      return api.stringAttribute(at, "sym_name");
    }
  }
  return "";
}

}  // namespace hone::iree
