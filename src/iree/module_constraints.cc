#include "iree/module_constraints.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "iree/module_walk.h"

namespace hone::iree {
namespace {

std::string stringOf(const CompilerApi& api, MlirAttribute text) {
  return std::string(api.stringValue(text).view());
}

/// "TileAndFuse" of "#iree_gpu.pipeline<TileAndFuse>".
std::string pipelineName(const std::string& text) {
  const auto begin = text.find('<');
  const auto end = text.rfind('>');
  return begin == std::string::npos || end == std::string::npos
             ? text
             : text.substr(begin + 1, end - begin - 1);
}

std::vector<std::string> optionsOf(const CompilerApi& api, MlirAttribute knob) {
  std::intptr_t count = 0;
  api.oneOfKnobOptions(knob, &count, nullptr);
  std::vector<MlirAttribute> options(static_cast<std::size_t>(count));
  api.oneOfKnobOptions(knob, &count, options.data());
  std::vector<std::string> texts;
  for (const MlirAttribute option : options) {
    texts.push_back(api.text(option));
  }
  return texts;
}

/// Adds the knobs below the attribute, each with its place: "workgroup[0]".
void addKnobs(const CompilerApi& api, MlirAttribute attribute, const std::string& place,
              nlohmann::json& knobs) {
  if (api.isIntKnob(attribute)) {
    knobs.push_back({{"name", stringOf(api, api.intKnobName(attribute))},
                     {"place", place},
                     {"options", nlohmann::json::array()}});
  } else if (api.isOneOfKnob(attribute)) {
    knobs.push_back({{"name", stringOf(api, api.oneOfKnobName(attribute))},
                     {"place", place},
                     {"options", optionsOf(api, attribute)}});
  } else if (api.attributeIsArray(attribute)) {
    for (std::intptr_t i = 0; i < api.arrayElements(attribute); ++i) {
      addKnobs(api, api.arrayElement(attribute, i), fmt::format("{}[{}]", place, i), knobs);
    }
  } else if (api.attributeIsDictionary(attribute)) {
    for (std::intptr_t i = 0; i < api.dictionaryElements(attribute); ++i) {
      const MlirNamedAttribute entry = api.dictionaryElement(attribute, i);
      const std::string_view name = api.identifierText(entry.name).view();
      addKnobs(api, entry.attribute,
               place.empty() ? std::string(name) : fmt::format("{}.{}", place, name), knobs);
    }
  }
}

nlohmann::json describe(const CompilerApi& api, MlirOperation operation) {
  nlohmann::json knobs = nlohmann::json::array();
  addKnobs(api, api.operationAttribute(operation, MlirStringRef::of("knobs")), "", knobs);
  const MlirAttribute smtLib = api.constraintsToSmtLib(operation, /*emitReset=*/false);
  return {{"dispatch", dispatchAround(api, operation)},
          {"pipeline", pipelineName(api.attributeText(operation, "pipeline"))},
          {"knobs", std::move(knobs)},
          {"smt", smtLib.ptr == nullptr ? "" : stringOf(api, smtLib)}};
}

/// The compilation_info as text, "" where the assignment does not fit.
std::string compilationInfo(const CompilerApi& api, MlirOperation operation,
                            const KnobAssignment& assignment) {
  std::vector<MlirStringRef> names;
  std::vector<std::int64_t> values;
  for (const auto& [name, value] : assignment.values) {
    names.push_back(MlirStringRef::of(name));
    values.push_back(value);
  }
  MlirAttribute message{};
  const MlirAttribute info =
      api.configurationOf(operation, MlirStringRef::of("compilation_info"), names.size(),
                          names.data(), values.data(), &message);
  if (info.ptr == nullptr) {
    fmt::print(stderr, "error: knobs do not fit their constraints: {}\n",
               message.ptr == nullptr ? "" : stringOf(api, message));
    return "";
  }
  return api.text(info);
}

}  // namespace

std::optional<nlohmann::json> constraintsIn(const CompilerApi& api, MlirOperation module,
                                            std::span<const KnobAssignment> assignments) {
  std::vector<MlirOperation> operations;
  walk(api, module, [&](MlirOperation operation) {
    if (api.nameOf(operation) == "iree_codegen.smt.constraints") {
      operations.push_back(operation);
    }
    return MlirWalkResult::advance;
  });
  nlohmann::json constraints = nlohmann::json::array();
  for (const MlirOperation operation : operations) {
    constraints.push_back(describe(api, operation));
  }
  nlohmann::json infos = nlohmann::json::array();
  for (const KnobAssignment& assignment : assignments) {
    if (assignment.constraints >= operations.size()) {
      fmt::print(stderr, "error: there are no constraints number {}\n", assignment.constraints);
      return std::nullopt;
    }
    std::string info = compilationInfo(api, operations[assignment.constraints], assignment);
    if (info.empty()) {
      return std::nullopt;
    }
    infos.push_back(std::move(info));
  }
  return nlohmann::json{{"constraints", std::move(constraints)}, {"infos", std::move(infos)}};
}

}  // namespace hone::iree
