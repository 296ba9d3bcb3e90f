#include "iree/module/module_attributes.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/text/regex.h"
#include "base/text/text.h"
#include "iree/module/module_constraints.h"
#include "iree/module/module_walk.h"

namespace hone::iree {
namespace {

/// Returns the lowering configuration in the value; null if there is none.
MlirAttribute loweringConfigIn(const CompilerApi& api, const std::string& name,
                               MlirAttribute value) {
  if (api.isCompilationInfo(value)) {
    return api.compilationInfoParts(value).loweringConfig;
  }
  return name == kLoweringConfig ? value : MlirAttribute{nullptr};
}

/// Returns true if an operation of the executable has the configuration.
bool usesConfig(const CompilerApi& api, MlirOperation executable, MlirAttribute config) {
  bool found = false;
  walk(api, executable, [&](MlirOperation operation) {
    // Attributes are uniqued in their context, so pointers can be compared.
    found = found ||
            api.operationAttribute(operation, MlirStringRef::of(kLoweringConfig)).ptr == config.ptr;
    return found ? MlirWalkResult::interrupt : MlirWalkResult::advance;
  });
  return found;
}

}  // namespace

std::vector<MlirOperation> findOperations(const CompilerApi& api, MlirOperation executable,
                                          std::string_view name) {
  const auto mark = name.rfind('#');
  const auto ordinal =
      mark == std::string_view::npos ? std::nullopt : parseInt(name.substr(mark + 1));
  const std::string_view plain = ordinal ? name.substr(0, mark) : name;
  std::vector<MlirOperation> operations;
  walk(api, executable, [&](MlirOperation operation) {
    if (api.opName(operation) == plain) {
      operations.push_back(operation);
    }
    return MlirWalkResult::advance;
  });
  if (!ordinal) {
    return operations;
  }
  const auto at = static_cast<std::size_t>(*ordinal);
  return at < operations.size() ? std::vector{operations[at]} : std::vector<MlirOperation>();
}

bool matchesDispatch(const model::OpAttribute& attribute, const std::string& dispatch) {
  const auto pattern = Regex::compile(attribute.dispatch);
  return pattern && pattern->matchesAnywhere(dispatch);
}

std::optional<MlirAttribute> parseValue(const CompilerApi& api, MlirContext context,
                                        const model::OpAttribute& attribute) {
  const MlirAttribute value = api.attributeParse(context, MlirStringRef::of(attribute.value));
  if (value.ptr == nullptr) {
    fmt::print(stderr, "error: invalid attribute '{}': {}\n", attribute.name, attribute.value);
    return std::nullopt;
  }
  return value;
}

std::size_t attachAttribute(const CompilerApi& api, MlirOperation executable,
                            const std::string& dispatch, const model::OpAttribute& attribute,
                            MlirAttribute value, std::vector<AttachedConfig>& attached) {
  const auto operations = findOperations(api, executable, attribute.op);
  for (const MlirOperation operation : operations) {
    api.operationSetAttribute(operation, MlirStringRef::of(attribute.name), value);
  }
  const MlirAttribute config = loweringConfigIn(api, attribute.name, value);
  if (!operations.empty() && config.ptr != nullptr) {
    attached.push_back(
        {api.stringAttribute(executable, "sym_name"), dispatch, attribute.op, config});
  }
  return operations.size();
}

void printNoMatch(const model::OpAttribute& attribute) {
  fmt::print(stderr, "error: no {} found in dispatches that match '{}'\n", attribute.op,
             attribute.dispatch);
}

std::optional<std::vector<AttachedConfig>> attachAttributes(
    const CompilerApi& api, MlirContext context, MlirOperation module,
    std::span<const model::OpAttribute> attributes) {
  std::vector<AttachedConfig> attached;
  for (const model::OpAttribute& attribute : attributes) {
    const auto value = parseValue(api, context, attribute);
    if (!value) {
      return std::nullopt;
    }
    std::size_t found = 0;
    for (const MlirOperation executable : executablesIn(api, module)) {
      const std::string name = api.stringAttribute(executable, "sym_name");
      if (matchesDispatch(attribute, name)) {
        found += attachAttribute(api, executable, name, attribute, *value, attached);
      }
    }
    if (found == 0) {
      printNoMatch(attribute);
      return std::nullopt;
    }
  }
  return attached;
}

std::string ignoredConfigs(const CompilerApi& api, MlirOperation module,
                           std::span<const AttachedConfig> attached) {
  std::vector<std::string> places;
  for (const MlirOperation executable : executablesIn(api, module)) {
    const std::string name = api.stringAttribute(executable, "sym_name");
    for (const AttachedConfig& one : attached) {
      if (one.executable == name && !usesConfig(api, executable, one.loweringConfig)) {
        places.push_back(fmt::format("{} of {}", one.op, one.dispatch));
      }
    }
  }
  return places.empty()
             ? ""
             : fmt::format("the compiler ignored the configuration for {}", join(places, ", "));
}

}  // namespace hone::iree
