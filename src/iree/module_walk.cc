#include "iree/module_walk.h"

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <regex>

#include "iree/recognize.h"

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

MlirOperation functionAround(const CompilerApi& api, MlirOperation operation) {
  MlirOperation at = operation;
  while (at.ptr != nullptr && api.nameOf(at) != "func.func") {
    at = api.operationParent(at);
  }
  return at;
}

/// How often the attribute was put on an operation.
int attachOne(const CompilerApi& api, MlirOperation module, const model::OpAttribute& attribute,
              const std::regex& dispatch, MlirAttribute value) {
  int attached = 0;
  walk(api, module, [&](MlirOperation operation) {
    if (api.nameOf(operation) == "hal.executable" &&
        !std::regex_search(api.stringAttribute(operation, "sym_name"), dispatch)) {
      return MlirWalkResult::skip;
    }
    if (api.nameOf(operation) == attribute.op && !dispatchAround(api, operation).empty()) {
      api.operationSetAttribute(operation, MlirStringRef::of(attribute.name), value);
      ++attached;
    }
    return MlirWalkResult::advance;
  });
  return attached;
}

}  // namespace

void walk(const CompilerApi& api, MlirOperation root, Visitor visitor) {
  api.operationWalk(root, callVisitor, &visitor, MlirWalkOrder::preOrder);
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
  walk(api, module, [&](MlirOperation operation) {
    if (operation.ptr == module.ptr) {
      return MlirWalkResult::advance;
    }
    const std::string name = api.nameOf(operation);
    const bool isPublic = api.stringAttribute(operation, "sym_visibility") != "private";
    const MlirAttribute type =
        api.operationAttribute(operation, MlirStringRef::of("function_type"));
    if (isPublic && (name == "func.func" || name == "util.func") && type.ptr != nullptr) {
      const MlirType function = api.typeOfAttribute(type);
      nlohmann::json entry = {{"name", api.stringAttribute(operation, "sym_name")},
                              {"inputs", functionTypes(api, function, true)},
                              {"results", functionTypes(api, function, false)}};
      if (auto problem = recognizeProblem(api, operation)) {
        entry["problem"] = model::toJson(*problem);
      }
      functions.push_back(std::move(entry));
    }
    return MlirWalkResult::skip;
  });
  return functions;
}

nlohmann::json dispatchRoots(const CompilerApi& api, MlirOperation module) {
  nlohmann::json roots = nlohmann::json::array();
  walk(api, module, [&](MlirOperation operation) {
    if (!api.attributeText(operation, "root_op").empty()) {
      const MlirOperation function = functionAround(api, operation);
      roots.push_back(
          {{"dispatch", dispatchAround(api, operation)},
           {"op", api.nameOf(operation)},
           {"lowering_config", api.attributeText(operation, "lowering_config")},
           {"translation_info",
            function.ptr == nullptr ? "" : api.attributeText(function, "translation_info")}});
    }
    return MlirWalkResult::advance;
  });
  return roots;
}

bool attachAttributes(const CompilerApi& api, MlirContext context, MlirOperation module,
                      std::span<const model::OpAttribute> attributes) {
  for (const model::OpAttribute& attribute : attributes) {
    const MlirAttribute value = api.attributeParse(context, MlirStringRef::of(attribute.value));
    if (value.ptr == nullptr) {
      fmt::print(stderr, "error: '{}' is not an attribute: {}\n", attribute.name, attribute.value);
      return false;
    }
    const std::regex dispatch(attribute.dispatch, std::regex::nosubs);
    if (attachOne(api, module, attribute, dispatch, value) == 0) {
      fmt::print(stderr, "error: no {} in a dispatch that matches '{}'\n", attribute.op,
                 attribute.dispatch);
      return false;
    }
  }
  return true;
}

}  // namespace hone::iree
