#include "iree/module/module_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "iree/module/module_walk.h"

namespace hone::iree {
namespace {

/// Returns true for characters of a bare name after the first one.
bool isBare(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.';
}

bool isFunction(const std::string& operation) {
  return operation == "func.func" || operation == "util.func";
}

}  // namespace

bool isBareName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, isBare) &&
         (std::isalpha(static_cast<unsigned char>(name.front())) != 0 || name.front() == '_');
}

std::string bareName(std::string_view name) {
  std::string bare(name);
  std::ranges::replace_if(bare, [](char c) { return !isBare(c); }, '_');
  return isBareName(bare) ? bare : fmt::format("_{}", bare);
}

void renameFunctions(const CompilerApi& api, MlirContext context, MlirOperation module) {
  std::set<std::string> taken;
  std::map<std::string, std::string> renamed;
  const auto children = childOperations(api, module);
  for (const MlirOperation operation : children) {
    taken.insert(symbolName(api, operation));
  }
  for (const MlirOperation operation : children) {
    const std::string name = symbolName(api, operation);
    if (!isFunction(api.opName(operation)) || isBareName(name)) {
      continue;
    }
    const std::string bare = bareName(name);
    if (!taken.insert(bare).second) {
      continue;  // ambiguous: keeps its quotes
    }
    renamed[name] = bare;
    api.operationSetAttribute(operation, MlirStringRef::of("sym_name"),
                              api.makeStringAttribute(context, MlirStringRef::of(bare)));
  }
  if (renamed.empty()) {
    return;
  }
  walk(api, module, [&](MlirOperation operation) {
    const std::string kind = api.opName(operation);
    const MlirAttribute callee = api.operationAttribute(operation, MlirStringRef::of("callee"));
    if ((kind != "func.call" && kind != "util.call") || callee.ptr == nullptr) {
      return MlirWalkResult::advance;
    }
    const auto known = renamed.find(std::string(api.symbolValue(callee).view()));
    if (known != renamed.end()) {
      const std::string symbol = fmt::format("@{}", known->second);
      api.operationSetAttribute(operation, MlirStringRef::of("callee"),
                                api.attributeParse(context, MlirStringRef::of(symbol)));
    }
    return MlirWalkResult::advance;
  });
}

}  // namespace hone::iree
