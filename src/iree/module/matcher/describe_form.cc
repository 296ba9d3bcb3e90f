#include "iree/module/matcher/describe_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text/text.h"
#include "iree/mlir/mlir_text.h"
#include "iree/mlir/named_products.h"
#include "iree/module/matcher/structure_matcher.h"
#include "iree/module/module_spec.h"
#include "iree/module/module_walk.h"

namespace hone::iree {
namespace {

/// Attributes that describe the form elsewhere, or that do not belong to the operation.
bool isOwnAttribute(std::string_view name) {
  constexpr std::array<std::string_view, 8> kOthers = {
      "indexing_maps",   "iterator_types",    "operandSegmentSizes",
      "lowering_config", "compilation_info",  "decomposition_config",
      "root_op",         "resultSegmentSizes"};
  return std::ranges::find(kOthers, name) == kOthers.end() && !name.starts_with("hone");
}

OperandForm describeType(const CompilerApi& api, MlirType type) {
  OperandForm form;
  if (!api.typeIsShaped(type)) {
    form.element = api.typeText(type);
    form.ranked = true;
    return form;
  }
  form.element = api.typeText(api.shapedElement(type));
  form.ranked = api.shapedHasRank(type);
  for (std::intptr_t i = 0; form.ranked && i < api.shapedRank(type); ++i) {
    form.shape.push_back(std::max<std::int64_t>(api.shapedSize(type, i), -1));
  }
  return form;
}

std::vector<std::string> listAttributes(const CompilerApi& api, MlirOperation operation) {
  std::vector<std::string> attributes;
  for (std::intptr_t i = 0; i < api.operationAttributes(operation); ++i) {
    const MlirNamedAttribute one = api.operationAttributeAt(operation, i);
    const auto name = api.identifierText(one.name).view();
    if (isOwnAttribute(name)) {
      attributes.push_back(fmt::format("{} = {}", name, api.text(one.attribute)));
    }
  }
  std::ranges::sort(attributes);
  return attributes;
}

/// Prints the operations of a body with values named by their origin, so that equal bodies have
/// equal lines.
std::vector<std::string> describeBody(const CompilerApi& api, MlirOperation operation) {
  std::map<const void*, std::string> names;
  std::vector<std::string> lines;
  for (const MlirOperation inner : childOperations(api, operation)) {
    std::string line = api.opName(inner);
    for (std::intptr_t i = 0; i < api.operationOperands(inner); ++i) {
      const MlirValue value = api.operationOperand(inner, i);
      const auto known = names.find(value.ptr);
      const bool argument = api.valueIsArgument(value) &&
                            api.blockOwner(api.argumentOwner(value)).ptr == operation.ptr;
      line += argument ? fmt::format(" arg{}", api.argumentNumber(value))
                       : fmt::format(" {}", known == names.end() ? "outer" : known->second);
    }
    for (const std::string& attribute : listAttributes(api, inner)) {
      line += fmt::format(" {{{}}}", attribute);
    }
    for (std::intptr_t i = 0; i < api.operationResults(inner); ++i) {
      names[api.operationResult(inner, i).ptr] = fmt::format("value{}", names.size());
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Returns the kind of a named operation; "" if its name does not tell.
std::string kindByName(std::string_view name) {
  if (name.starts_with("linalg.conv") || name.starts_with("linalg.depthwise_conv")) {
    return "convolution";
  }
  if (name == "iree_linalg_ext.attention" || name == "iree_linalg_ext.online_attention") {
    return "attention";
  }
  const bool product = findNamedProduct(name) != nullptr || name == "linalg.matvec" ||
                       name == "linalg.vecmat" || name == "linalg.batch_matvec" ||
                       name == "linalg.batch_vecmat" || name == "linalg.dot";
  return product ? "contraction" : "";
}

/// Returns the indexing maps of a named matmul; empty for other operations.
std::vector<std::string> mapsByName(std::string_view name) {
  const NamedProduct* product = findNamedProduct(name);
  return product == nullptr ? std::vector<std::string>()
                            : std::vector<std::string>(product->maps.begin(), product->maps.end());
}

/// Reads a matcher operation by operation.
class MatcherReader {
 public:
  MatcherReader(const CompilerApi& api, MlirOperation module) : api_(api), module_(module) {}

  void read(MlirOperation sequence) {
    if (sequence.ptr == nullptr || !seen_.insert(sequence.ptr).second) {
      return;
    }
    for (const MlirOperation operation : childOperations(api_, sequence)) {
      readStep(operation, api_.opName(operation));
    }
  }
  [[nodiscard]] OperationForm take() {
    if (form_.kind.empty() && form_.body.empty() && form_.names.size() == 1) {
      form_.kind = kindByName(form_.names.front());
      form_.maps = mapsByName(form_.names.front());
    }
    return std::move(form_);
  }

 private:
  void readStep(MlirOperation operation, const std::string& name);
  void readExample(MlirOperation matcher);
  void readStructure(MlirOperation matcher, const StructureMatcher& structure);
  void readSizes(MlirOperation operation);
  void readType(MlirOperation operation);
  void readCondition(MlirOperation operation, bool bounds);
  /// Returns the operand that a value of the matcher stands for; -1 if it is another value.
  [[nodiscard]] std::int64_t operandNumber(MlirValue value) const;
  OperandForm& operand(std::int64_t number) {
    form_.operands.resize(std::max(form_.operands.size(), static_cast<std::size_t>(number) + 1));
    return form_.operands[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] std::int64_t numberIn(MlirOperation operation, std::string_view name) const {
    const auto numbers = numbersIn(api_.attributeText(operation, name));
    return numbers.empty() ? -1 : numbers.front();
  }

  const CompilerApi& api_;
  MlirOperation module_;
  OperationForm form_;
  std::set<const void*> seen_;
};

void MatcherReader::readExample(MlirOperation matcher) {
  const auto operations = childOperations(api_, matcher);
  MlirOperation root{nullptr};
  std::size_t count = 0;
  for (const MlirOperation operation : operations) {
    if (api_.opName(operation) != "transform.yield") {
      root = operation;
      ++count;
    }
  }
  if (root.ptr == nullptr) {
    return;
  }
  const std::vector<std::string> unread = form_.unread;
  const auto conditions = form_.conditions;
  form_ = describeForm(api_, root);
  form_.unread = unread;
  form_.conditions = conditions;
  if (count > 1) {
    form_.unread.emplace_back("the operations before the root of its example");
  }
}

void MatcherReader::readStructure(MlirOperation matcher, const StructureMatcher& structure) {
  form_.kind = structure.kind;
  const auto types = structureTypes(api_, matcher);
  // The output of an attention is its last operand, after an optional mask.
  const bool leading = structure.op == "transform.iree.match.attention";
  for (std::size_t i = 0; i < (leading ? 3 : types.size()); ++i) {
    operand(static_cast<std::int64_t>(i)).element = types[i];
  }
  form_.maps.clear();
  const MlirAttribute maps = api_.operationAttribute(matcher, MlirStringRef::of("indexing_maps"));
  for (std::intptr_t i = 0;
       maps.ptr != nullptr && api_.attributeIsArray(maps) && i < api_.arrayElements(maps); ++i) {
    form_.maps.push_back(api_.text(api_.arrayElement(maps, i)));
  }
  for (const std::string_view name : structure.sizes) {
    form_.roles.push_back({.name = std::string(name), .loops = {}, .sizes = {}, .sized = false});
  }
}

void MatcherReader::readSizes(MlirOperation operation) {
  const MlirValue asked = api_.operationOperand(operation, 0);
  if (api_.valueIsArgument(asked)) {
    return;
  }
  const auto number = static_cast<std::size_t>(api_.resultNumber(asked));
  if (findStructureMatcher(api_.opName(api_.resultOwner(asked))) != nullptr &&
      number < form_.roles.size()) {
    form_.roles[number].sizes = numbersIn(api_.attributeText(operation, "expected_values"));
    form_.roles[number].sized = true;
  }
}

std::int64_t MatcherReader::operandNumber(MlirValue value) const {
  if (api_.valueIsArgument(value)) {
    return -1;
  }
  const MlirOperation owner = api_.resultOwner(value);
  return api_.opName(owner) == "transform.get_operand" ? numberIn(owner, "raw_position_list") : -1;
}

void MatcherReader::readType(MlirOperation operation) {
  const std::int64_t number = operandNumber(api_.operationOperand(operation, 0));
  const MlirAttribute type = api_.operationAttribute(operation, MlirStringRef::of("target_type"));
  if (number < 0 || type.ptr == nullptr) {
    form_.unread.push_back(api_.opName(operation));
    return;
  }
  OperandForm& known = operand(number);
  const OperandForm required = describeType(api_, api_.attributeType(type));
  known.element = required.element;
  if (!known.ranked || known.shape.size() != required.shape.size()) {
    known.ranked = required.ranked;
    known.shape = required.shape;
    return;
  }
  for (std::size_t i = 0; i < required.shape.size(); ++i) {
    known.shape[i] = required.shape[i] < 0 ? known.shape[i] : required.shape[i];
  }
}

void MatcherReader::readCondition(MlirOperation operation, bool bounds) {
  const std::int64_t number = operandNumber(api_.operationOperand(operation, 0));
  if (number < 0) {
    form_.unread.push_back(api_.opName(operation));
    return;
  }
  DimensionCondition condition{.operand = number, .dimension = numberIn(operation, "dim")};
  if (bounds) {
    condition.least = numberIn(operation, "lower_bound");
    condition.most = numberIn(operation, "upper_bound");
  } else {
    condition.multipleOf = numberIn(operation, "size");
  }
  form_.conditions.push_back(condition);
}

void MatcherReader::readStep(MlirOperation operation, const std::string& name) {
  if (const StructureMatcher* structure = findStructureMatcher(name)) {
    readStructure(operation, *structure);
  } else if (name == "transform.iree.match.cast_compatible_dag_from_root") {
    readExample(operation);
  } else if (name == "transform.iree.match.dims_equal") {
    readSizes(operation);
  } else if (name == "transform.iree.match.cast_compatible_type") {
    readType(operation);
  } else if (name == "transform.iree.match.dim_is_multiple_of") {
    readCondition(operation, false);
  } else if (name == "transform.iree.match.dim_bounds") {
    readCondition(operation, true);
  } else if (name == "transform.match.operation_name") {
    const MlirAttribute names = api_.operationAttribute(operation, MlirStringRef::of("op_names"));
    form_.names.clear();
    for (std::intptr_t i = 0; names.ptr != nullptr && i < api_.arrayElements(names); ++i) {
      form_.names.emplace_back(api_.stringValue(api_.arrayElement(names, i)).view());
    }
  } else if (name == "transform.include") {
    read(findSequence(api_, module_, parseSymbol(api_.attributeText(operation, "target"))));
  } else if (name.contains("match.") && name != "transform.iree.match.has_no_lowering_config") {
    form_.unread.push_back(name);
  }
}

}  // namespace

OperationForm describeForm(const CompilerApi& api, MlirOperation operation) {
  OperationForm form;
  form.names = {api.opName(operation)};
  for (std::intptr_t i = 0; i < api.operationOperands(operation); ++i) {
    form.operands.push_back(describeType(api, operandType(api, operation, i)));
  }
  form.maps = mapTexts(api, operation);
  if (auto structure = describeStructure(api, operation)) {
    form.kind = std::move(structure->kind);
    form.roles = std::move(structure->roles);
  }
  form.body = describeBody(api, operation);
  form.attributes = listAttributes(api, operation);
  return form;
}

OperationForm describeMatcher(const CompilerApi& api, MlirOperation module,
                              MlirOperation sequence) {
  MatcherReader reader(api, module);
  reader.read(sequence);
  return reader.take();
}

}  // namespace hone::iree
