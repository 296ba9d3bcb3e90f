#include "iree/module/module_spec.h"

#include <set>

#include "iree/mlir/mlir_text.h"
#include "iree/module/matcher/describe_form.h"
#include "iree/module/module_walk.h"

namespace hone::iree {
namespace {

constexpr std::string_view kSequence = "transform.named_sequence";
constexpr std::string_view kConstant = "transform.param.constant";
constexpr std::string_view kDag = "transform.iree.match.cast_compatible_dag_from_root";
constexpr std::string_view kDimsEqual = "transform.iree.match.dims_equal";
constexpr std::string_view kOperationName = "transform.match.operation_name";
constexpr std::string_view kCastCompatible = "transform.iree.match.cast_compatible_type";

constexpr std::array<StructureMatcher, 4> kStructureMatchers = {{
    {"transform.iree.match.contraction", "contraction", kContractionSizes},
    {"transform.iree.match.convolution", "convolution", kConvolutionSizes},
    {"transform.iree.match.attention", "attention", kAttentionSizes},
    {"transform.iree.match.online_attention", "attention", kAttentionSizes},
}};

MlirAttribute findAttribute(const CompilerApi& api, MlirOperation operation,
                            std::string_view name) {
  return api.operationAttribute(operation, MlirStringRef::of(name));
}

std::vector<std::string> readSymbols(const CompilerApi& api, MlirOperation operation,
                                     std::string_view name) {
  std::vector<std::string> symbols;
  const MlirAttribute list = findAttribute(api, operation, name);
  if (list.ptr == nullptr || !api.attributeIsArray(list)) {
    return symbols;
  }
  for (std::intptr_t i = 0; i < api.arrayElements(list); ++i) {
    symbols.push_back(parseSymbol(api.text(api.arrayElement(list, i))));
  }
  return symbols;
}

/// Returns the operand types of the example operation in a matcher.
std::vector<std::string> operandTypes(const CompilerApi& api, MlirOperation operation) {
  std::vector<std::string> types;
  for (std::intptr_t i = 0; i < api.operationOperands(operation); ++i) {
    types.push_back(api.typeText(api.valueType(api.operationOperand(operation, i))));
  }
  return types;
}

void describeDag(const CompilerApi& api, MlirOperation matcher, SpecEntryDescription& entry) {
  entry.matched.kind = "dag";
  walk(api, matcher, [&](MlirOperation operation) {
    if (operation.ptr == matcher.ptr) {
      return MlirWalkResult::advance;
    }
    if (const std::string name = api.opName(operation); name != "transform.yield") {
      entry.matched.op = name;  // the last one is the root
      entry.matched.types = operandTypes(api, operation);
    }
    return MlirWalkResult::skip;
  });
}

/// Adds the sizes that a dims_equal requires, with the name of the matcher's result.
void describeSizes(const CompilerApi& api, MlirOperation operation, SpecEntryDescription& entry) {
  const MlirValue asked = api.operationOperand(operation, 0);
  if (api.valueIsArgument(asked)) {
    return;
  }
  const StructureMatcher* matcher = findStructureMatcher(api.opName(api.resultOwner(asked)));
  const auto number = static_cast<std::size_t>(api.resultNumber(asked));
  if (matcher != nullptr && number < matcher->sizes.size()) {
    entry.matched.sizes.push_back(
        {.name = std::string(matcher->sizes[number]),
         .values = numbersIn(api.attributeText(operation, "expected_values"))});
  }
}

void describeConfig(const CompilerApi& api, MlirOperation constant, SpecEntryDescription& entry) {
  const MlirAttribute value = findAttribute(api, constant, "value");
  if (value.ptr != nullptr && api.isCompilationInfo(value)) {
    const CompilationInfoParts parts = api.compilationInfoParts(value);
    entry.config = api.text(value);
    entry.loweringConfig = api.text(parts.loweringConfig);
    entry.translationInfo = api.text(parts.translationInfo);
  }
}

/// Adds the information of one operation of a matcher.
MlirWalkResult describeStep(const CompilerApi& api, MlirOperation operation,
                            SpecEntryDescription& entry) {
  const std::string name = api.opName(operation);
  if (const StructureMatcher* matcher = findStructureMatcher(name)) {
    entry.matched.kind = matcher->kind;
    entry.matched.types = structureTypes(api, operation);
  } else if (name == kDag) {
    describeDag(api, operation, entry);
    return MlirWalkResult::skip;
  } else if (name == kDimsEqual) {
    describeSizes(api, operation, entry);
  } else if (name == kConstant) {
    describeConfig(api, operation, entry);
  } else if (name == kOperationName) {
    const MlirAttribute names = findAttribute(api, operation, "op_names");
    if (names.ptr != nullptr && api.attributeIsArray(names) && api.arrayElements(names) > 0) {
      entry.matched.op = std::string(api.stringValue(api.arrayElement(names, 0)).view());
    }
  } else if (name == kCastCompatible) {
    entry.matched.types.push_back(api.attributeText(operation, "target_type"));
  }
  return MlirWalkResult::advance;
}

/// Returns the sequence's text without its name and the constants that it passes on.
std::string sequenceKey(const CompilerApi& api, MlirOperation sequence) {
  const MlirContext context = api.operationContext(sequence);
  const MlirOperation copy = api.operationClone(sequence);
  api.operationSetAttribute(copy, MlirStringRef::of("sym_name"),
                            api.makeStringAttribute(context, MlirStringRef::of("key")));
  walk(api, copy, [&](MlirOperation operation) {
    if (api.opName(operation) == kConstant) {
      api.operationSetAttribute(operation, MlirStringRef::of("value"),
                                api.attributeParse(context, MlirStringRef::of("unit")));
    }
    return MlirWalkResult::advance;
  });
  std::string key = api.localText(copy);
  api.operationErase(copy);
  return key;
}

SpecEntryDescription describeEntry(const CompilerApi& api, MlirOperation module,
                                   const SpecPair& pair) {
  const MlirOperation sequence = findSequence(api, module, pair.matcher);
  SpecEntryDescription entry;
  entry.name = pair.matcher;
  entry.action = pair.action;
  if (sequence.ptr != nullptr) {
    entry.text = api.localText(sequence);
    entry.key = sequenceKey(api, sequence);
    entry.form = describeMatcher(api, module, sequence);
    walk(api, sequence,
         [&](MlirOperation operation) { return describeStep(api, operation, entry); });
  }
  return entry;
}

}  // namespace

const StructureMatcher* findStructureMatcher(std::string_view op) {
  for (const StructureMatcher& matcher : kStructureMatchers) {
    if (matcher.op == op) {
      return &matcher;
    }
  }
  return nullptr;
}

std::vector<std::string> structureTypes(const CompilerApi& api, MlirOperation matcher) {
  constexpr std::array<std::string_view, 9> kNames = {"lhs_type",    "rhs_type",   "query_type",
                                                      "key_type",    "value_type", "scale_type",
                                                      "output_type", "max_type",   "sum_type"};
  std::vector<std::string> types;
  for (const std::string_view name : kNames) {
    if (std::string type = api.attributeText(matcher, name); !type.empty()) {
      types.push_back(std::move(type));
    }
  }
  return types;
}

std::vector<SpecPair> pairsIn(const CompilerApi& api, MlirOperation module) {
  std::vector<SpecPair> pairs;
  walk(api, module, [&](MlirOperation operation) {
    if (api.opName(operation) == "transform.foreach_match") {
      const auto matchers = readSymbols(api, operation, "matchers");
      const auto actions = readSymbols(api, operation, "actions");
      for (std::size_t i = 0; i < matchers.size() && i < actions.size(); ++i) {
        pairs.push_back({matchers[i], actions[i]});
      }
    }
    return MlirWalkResult::advance;
  });
  return pairs;
}

MlirOperation findSequence(const CompilerApi& api, MlirOperation module, std::string_view name) {
  MlirOperation found{nullptr};
  walk(api, module, [&](MlirOperation operation) {
    if (api.opName(operation) == kSequence && api.stringAttribute(operation, "sym_name") == name) {
      found = operation;
      return MlirWalkResult::interrupt;
    }
    return MlirWalkResult::advance;
  });
  return found;
}

SpecDescription describeSpec(const CompilerApi& api, MlirOperation module) {
  SpecDescription spec;
  std::set<std::string> known;
  for (const SpecPair& pair : pairsIn(api, module)) {
    spec.entries.push_back(describeEntry(api, module, pair));
    const MlirOperation action = findSequence(api, module, pair.action);
    if (action.ptr != nullptr) {
      spec.actions[pair.action] = {.text = api.localText(action), .key = sequenceKey(api, action)};
    }
    known.insert(pair.matcher);
    known.insert(pair.action);
  }
  walk(api, module, [&](MlirOperation operation) {
    if (api.opName(operation) != kSequence) {
      return MlirWalkResult::advance;
    }
    const std::string name = api.stringAttribute(operation, "sym_name");
    if (!api.attributeText(operation, "iree_codegen.tuning_spec_entrypoint").empty()) {
      spec.entryPoints.push_back(name);
    } else if (!known.contains(name)) {
      spec.helpers[name] = api.localText(operation);
    }
    return MlirWalkResult::skip;
  });
  return spec;
}

}  // namespace hone::iree
