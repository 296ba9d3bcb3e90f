#include "iree/module/module_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "iree/module/module_walk.h"

namespace hone::iree {
namespace {

constexpr std::string_view kCompilationInfo = "compilation_info";

std::string readString(const CompilerApi& api, MlirAttribute text) {
  return std::string(api.stringValue(text).view());
}

/// Returns "TileAndFuse" for "#iree_gpu.pipeline<TileAndFuse>".
std::string pipelineName(const std::string& text) {
  const auto begin = text.find('<');
  const auto end = text.rfind('>');
  return begin == std::string::npos || end == std::string::npos
             ? text
             : text.substr(begin + 1, end - begin - 1);
}

std::vector<std::string> readOptions(const CompilerApi& api, MlirAttribute knob) {
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

/// Adds a knob unless it exists already: both matmuls of an attention share some knobs.
void addKnob(const std::string& name, const std::string& place, std::vector<std::string> options,
             std::vector<Knob>& knobs) {
  const bool known =
      std::any_of(knobs.begin(), knobs.end(), [&](const Knob& knob) { return knob.name == name; });
  if (!known) {
    knobs.push_back({.name = name, .place = place, .options = std::move(options)});
  }
}

/// Adds the knobs nested in the attribute, each with its position: "workgroup[0]".
void addKnobs(const CompilerApi& api, MlirAttribute attribute, const std::string& place,
              std::vector<Knob>& knobs) {
  if (api.isIntKnob(attribute)) {
    addKnob(readString(api, api.intKnobName(attribute)), place, {}, knobs);
  } else if (api.isOneOfKnob(attribute)) {
    addKnob(readString(api, api.oneOfKnobName(attribute)), place, readOptions(api, attribute),
            knobs);
  } else if (api.isGpuLoweringConfig(attribute)) {
    addKnobs(api, api.gpuLoweringConfigEntries(attribute), place, knobs);
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

PipelineConstraints describeConstraints(const CompilerApi& api, MlirOperation operation) {
  std::vector<Knob> knobs;
  addKnobs(api, api.operationAttribute(operation, MlirStringRef::of("knobs")), "", knobs);
  const MlirAttribute smtLib = api.constraintsToSmtLib(operation, /*emitReset=*/false);
  return {.dispatch = dispatchAround(api, operation),
          .pipeline = pipelineName(api.attributeText(operation, "pipeline")),
          .knobs = std::move(knobs),
          .smtLib = smtLib.ptr == nullptr ? "" : readString(api, smtLib)};
}

/// Returns the attribute with this name as text; "" if the assignment is invalid.
std::string configuration(const CompilerApi& api, MlirOperation operation,
                          const KnobAssignment& assignment, std::string_view attribute) {
  std::vector<MlirStringRef> names;
  std::vector<std::int64_t> values;
  for (const auto& [name, value] : assignment.values) {
    names.push_back(MlirStringRef::of(name));
    values.push_back(value);
  }
  MlirAttribute message{};
  const MlirAttribute info = api.materializeConfiguration(
      operation, MlirStringRef::of(attribute), names.size(), names.data(), values.data(), &message);
  if (info.ptr == nullptr) {
    fmt::print(stderr, "error: invalid knob values: {}\n",
               message.ptr == nullptr ? "" : readString(api, message));
    return "";
  }
  return api.text(info);
}

/// Returns true if parts of the operation have separate knobs: the matmuls of an attention.
bool isDecomposed(const CompilerApi& api, MlirOperation operation) {
  const MlirAttribute knobs = api.operationAttribute(operation, MlirStringRef::of("knobs"));
  for (std::intptr_t i = 0; i < api.dictionaryElements(knobs); ++i) {
    if (api.identifierText(api.dictionaryElement(knobs, i).name).view() == kDecompositionConfig) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<ProgramConstraints> constraintsIn(const CompilerApi& api, MlirOperation module,
                                                std::span<const KnobAssignment> assignments) {
  std::vector<MlirOperation> operations;
  walk(api, module, [&](MlirOperation operation) {
    if (api.opName(operation) == "iree_codegen.smt.constraints") {
      operations.push_back(operation);
    }
    return MlirWalkResult::advance;
  });
  ProgramConstraints found;
  for (const MlirOperation operation : operations) {
    found.constraints.push_back(describeConstraints(api, operation));
  }
  for (const KnobAssignment& assignment : assignments) {
    if (assignment.constraints >= operations.size()) {
      fmt::print(stderr, "error: no constraints with index {}\n", assignment.constraints);
      return std::nullopt;
    }
    const MlirOperation operation = operations[assignment.constraints];
    std::string info = configuration(api, operation, assignment, kCompilationInfo);
    const bool decomposed = isDecomposed(api, operation);
    std::string decomposition =
        decomposed ? configuration(api, operation, assignment, kDecompositionConfig) : "";
    if (info.empty() || (decomposed && decomposition.empty())) {
      return std::nullopt;
    }
    found.compilationInfos.push_back(std::move(info));
    found.decompositionConfigs.push_back(std::move(decomposition));
  }
  return found;
}

}  // namespace hone::iree
