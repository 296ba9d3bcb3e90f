#include "iree/matcher_text.h"

#include <fmt/format.h>

#include <span>
#include <vector>

#include "base/text.h"
<<<<<<< HEAD
#include "iree/affine_map.h"
#include "iree/mlir_text.h"
#include "iree/module_spec.h"
=======
>>>>>>> spec
#include "iree/module_walk.h"
#include "iree/structure_matcher.h"

namespace hone::iree {
namespace {

MlirType operandType(const CompilerApi& api, MlirOperation operation, std::intptr_t operand) {
  return api.valueType(api.operationOperand(operation, operand));
}

<<<<<<< HEAD
std::string elementType(const CompilerApi& api, MlirOperation operation, std::intptr_t operand) {
  const MlirType type = operandType(api, operation, operand);
  return api.typeText(api.typeIsShaped(type) ? api.shapedElement(type) : type);
}

std::vector<std::string> mapTexts(const CompilerApi& api, MlirOperation operation) {
  std::vector<std::string> texts;
  const MlirAttribute maps = mapsAttribute(api, operation);
  if (maps.ptr != nullptr && api.attributeIsArray(maps)) {
    for (std::intptr_t i = 0; i < api.arrayElements(maps); ++i) {
      texts.push_back(api.text(api.arrayElement(maps, i)));
    }
  }
  return texts;
}

/// How long each loop is, as far as an operand's dimension says it; below 0 where only the run
/// time does.
std::map<std::int64_t, std::int64_t> loopSizes(const CompilerApi& api, MlirOperation operation) {
  std::map<std::int64_t, std::int64_t> sizes;
  const auto maps = mapTexts(api, operation);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto operand = static_cast<std::intptr_t>(i);
    const MlirType type = operandType(api, operation, operand);
    const auto loops = affineIndices(maps[i]);
    if (!api.typeIsShaped(type) || !api.shapedHasRank(type) ||
        api.shapedRank(type) != static_cast<std::int64_t>(loops.size())) {
      continue;
    }
    for (std::size_t d = 0; d < loops.size(); ++d) {
      if (loops[d].only) {
        const std::int64_t size = api.shapedSize(type, static_cast<std::intptr_t>(d));
        sizes[static_cast<std::int64_t>(*loops[d].only)] = std::max<std::int64_t>(size, -1);
      }
    }
  }
  return sizes;
}

=======
>>>>>>> spec
bool isStatic(const CompilerApi& api, MlirOperation operation) {
  for (std::intptr_t i = 0; i < api.operationOperands(operation); ++i) {
    const MlirType type = operandType(api, operation, i);
    if (!api.typeIsShaped(type)) {
      continue;
    }
    if (!api.shapedHasRank(type)) {
      return false;
    }
    for (std::intptr_t d = 0; d < api.shapedRank(type); ++d) {
      if (api.shapedSize(type, d) < 0) {
        return false;
      }
    }
  }
  return true;
}

<<<<<<< HEAD
/// What a structure matcher is asked for.
struct Structure {
  std::string kind;
  std::string_view matcher;
  std::vector<std::pair<std::string_view, std::string>> types;  ///< by the matcher's name for them
  std::span<const std::string_view> names;
  std::vector<Sizes> sizes;  ///< one a name
};

Loops loopsIn(const CompilerApi& api, MlirAttribute numbers) {
  return numbers.ptr == nullptr ? Loops() : numbersOf(api.text(numbers));
}

/// The sizes of the loops; nothing where one is not known.
std::optional<std::vector<Sizes>> sizesOf(const std::map<std::int64_t, std::int64_t>& loops,
                                          const std::vector<Loops>& groups) {
  std::vector<Sizes> sizes;
  for (const Loops& group : groups) {
    Sizes& of = sizes.emplace_back();
    for (const std::int64_t loop : group) {
      const auto found = loops.find(loop);
      if (found == loops.end() || found->second < 0) {
        return std::nullopt;
      }
      of.push_back(found->second);
    }
  }
  return sizes;
}

std::vector<std::pair<std::string_view, std::string>> threeTypes(const CompilerApi& api,
                                                                 MlirOperation operation) {
  return {{"lhs_type", elementType(api, operation, 0)},
          {"rhs_type", elementType(api, operation, 1)},
          {"output_type", elementType(api, operation, 2)}};
}

std::optional<Structure> contractionOf(const CompilerApi& api, MlirOperation operation) {
  if (!api.nameOf(operation).starts_with("linalg.") || !api.linalgIsContraction(operation) ||
      api.operationOperands(operation) != 3) {
    return std::nullopt;
  }
  const MlirContractionDimensions found = api.linalgContraction(operation);
  auto sizes = sizesOf(loopSizes(api, operation), {loopsIn(api, found.batch), loopsIn(api, found.m),
                                                   loopsIn(api, found.n), loopsIn(api, found.k)});
  if (!sizes) {
    return std::nullopt;
  }
  return Structure{"contraction", "contraction", threeTypes(api, operation), kContractionSizes,
                   std::move(*sizes)};
}

std::optional<Structure> convolutionOf(const CompilerApi& api, MlirOperation operation) {
  if (!api.nameOf(operation).starts_with("linalg.") || !api.linalgIsConvolution(operation) ||
      api.operationOperands(operation) != 3) {
    return std::nullopt;
  }
  const MlirConvolutionDimensions found = api.linalgConvolution(operation);
  if (found.filterLoop.ptr == nullptr) {
    return std::nullopt;
  }
  std::vector<Loops> groups;
  for (const MlirAttribute& group : {found.batch, found.outputImage, found.outputChannel,
                                     found.filterLoop, found.inputChannel, found.depth}) {
    groups.push_back(loopsIn(api, group));
  }
  auto sizes = sizesOf(loopSizes(api, operation), groups);
  if (!sizes) {
    return std::nullopt;
  }
  sizes->push_back(loopsIn(api, found.strides));
  sizes->push_back(loopsIn(api, found.dilations));
  return Structure{"convolution", "convolution", threeTypes(api, operation), kConvolutionSizes,
                   std::move(*sizes)};
}

std::set<std::int64_t> loopSet(const std::string& map) {
  std::set<std::int64_t> loops;
  for (const AffineIndex& index : affineIndices(map)) {
    if (index.only) {
      loops.insert(static_cast<std::int64_t>(*index.only));
    }
  }
  return loops;
}

/// The loops of attention by what they are, each group from the outermost in.
std::vector<Loops> attentionLoops(const std::vector<std::string>& maps, std::size_t output) {
  const auto query = loopSet(maps[0]);
  const auto key = loopSet(maps[1]);
  const auto value = loopSet(maps[2]);
  const auto result = loopSet(maps[output]);
  std::vector<Loops> groups(kAttentionSizes.size());
  std::set<std::int64_t> all = query;
  all.insert(key.begin(), key.end());
  all.insert(value.begin(), value.end());
  for (const std::int64_t loop : all) {
    const bool q = query.contains(loop);
    const bool k = key.contains(loop);
    const bool v = value.contains(loop);
    const bool batch = (q && v) || (k && result.contains(loop));
    groups[batch ? 0 : q && k ? 3 : k ? 4 : q ? 1 : 2].push_back(loop);
  }
  return groups;
}

std::optional<Structure> attentionOf(const CompilerApi& api, MlirOperation operation) {
  const std::string name = api.nameOf(operation);
  const bool online = name == "iree_linalg_ext.online_attention";
  const auto operands = api.operationOperands(operation);
  const auto maps = mapTexts(api, operation);
  // A mask is one more operand, which the matcher of online attention refuses.
  if ((!online && name != "iree_linalg_ext.attention") || (online && operands != 7) ||
      operands < 5 || maps.size() != static_cast<std::size_t>(operands)) {
    return std::nullopt;
  }
  const std::intptr_t output = online ? 4 : operands - 1;
  auto sizes =
      sizesOf(loopSizes(api, operation), attentionLoops(maps, static_cast<std::size_t>(output)));
  if (!sizes) {
    return std::nullopt;
  }
  Structure structure{"attention",
                      online ? "online_attention" : "attention",
                      {{"query_type", elementType(api, operation, 0)},
                       {"key_type", elementType(api, operation, 1)},
                       {"value_type", elementType(api, operation, 2)}},
                      kAttentionSizes,
                      std::move(*sizes)};
  if (online) {
    structure.types.emplace_back("scale_type", elementType(api, operation, 3));
  }
  structure.types.emplace_back("output_type", elementType(api, operation, output));
  if (online) {
    structure.types.emplace_back("max_type", elementType(api, operation, 5));
    structure.types.emplace_back("sum_type", elementType(api, operation, 6));
  }
  return structure;
}

std::string structureText(const Structure& structure, const std::string& maps) {
  std::vector<std::string> results;
  std::vector<std::string> types;
  for (const std::string_view name : structure.names) {
    results.push_back(fmt::format("%{}", name));
  }
  for (const auto& [name, type] : structure.types) {
    types.push_back(fmt::format("{} = {}", name, type));
  }
  std::string text = fmt::format(
      "{} = transform.iree.match.{} %op,\n    {},\n    indexing_maps = {}\n    : "
      "!transform.any_op -> !transform.param<i64>\n",
      join(results, ", "), structure.matcher, join(types, ", "), maps);
  for (std::size_t i = 0; i < structure.names.size(); ++i) {
    text += fmt::format("transform.iree.match.dims_equal %{}, [{}] : !transform.param<i64>\n",
                        structure.names[i], fmt::join(structure.sizes[i], ", "));
  }
  return text;
}

nlohmann::json fromStructure(const CompilerApi& api, MlirOperation operation,
                             const Structure& structure) {
  nlohmann::json types = nlohmann::json::array();
  for (const auto& [name, type] : structure.types) {
    types.push_back(type);
  }
  nlohmann::json sizes = nlohmann::json::array();
  for (std::size_t i = 0; i < structure.names.size(); ++i) {
    sizes.push_back({{"name", structure.names[i]}, {"values", structure.sizes[i]}});
  }
  return {{"op", api.nameOf(operation)},
          {"kind", structure.kind},
          {"types", std::move(types)},
          {"sizes", std::move(sizes)},
          {"matcher", structureText(structure, mapsOf(api, operation))}};
}

=======
>>>>>>> spec
std::vector<std::string> typeTexts(const CompilerApi& api, MlirOperation operation) {
  std::vector<std::string> types;
  for (std::intptr_t i = 0; i < api.operationOperands(operation); ++i) {
    types.push_back(api.typeText(operandType(api, operation, i)));
  }
  return types;
}

/// Whether a value that is used within the operation is made outside of it without being an
/// operand; an example of the operation that stands alone cannot have such a value.
bool captures(const CompilerApi& api, MlirOperation operation) {
  bool found = false;
  walk(api, operation, [&](MlirOperation inner) {
    if (inner.ptr == operation.ptr) {
      return MlirWalkResult::advance;
    }
    for (std::intptr_t i = 0; i < api.operationOperands(inner); ++i) {
      const MlirValue value = api.operationOperand(inner, i);
      MlirOperation at = api.valueIsArgument(value) ? api.blockOwner(api.argumentOwner(value))
                                                    : api.resultOwner(value);
      while (at.ptr != nullptr && at.ptr != operation.ptr) {
        at = api.operationParent(at);
      }
      found = found || at.ptr == nullptr;
    }
    return MlirWalkResult::advance;
  });
  return found;
}

/// The operation alone, on arguments, as MLIR's own printer writes it.
std::string exampleText(const CompilerApi& api, MlirOperation operation,
                        const std::vector<std::string>& types) {
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < types.size(); ++i) {
    arguments.push_back(fmt::format("%arg{}: {}", i, types[i]));
  }
  const std::string list = join(arguments, ", ");
  const std::string shell = fmt::format("func.func private @example({}) {{\n  return\n}}\n", list);
  const MlirOperation function = api.operationParse(
      api.operationContext(operation), MlirStringRef::of(shell), MlirStringRef::of("example"));
  if (function.ptr == nullptr) {
    return "";
  }
  const MlirBlock block = api.regionBlock(api.operationRegion(function));
  const MlirOperation copy = api.operationClone(operation);
  for (std::intptr_t i = 0; i < api.operationOperands(copy); ++i) {
    api.operationSetOperand(copy, i, api.blockArgument(block, i));
  }
  api.blockInsert(block, 0, copy);
  auto lines = splitAt(api.localText(function), '\n');
  api.operationErase(function);
  while (!lines.empty() && trim(lines.back()).empty()) {
    lines.pop_back();
  }
  if (lines.size() < 4) {
    return "";
  }
  // Without the function's first line, its return and its brace.
  return fmt::format("^bb0({}):\n{}\n", list,
                     join(std::span(lines).subspan(1, lines.size() - 3), "\n"));
}

nlohmann::json fromExample(const CompilerApi& api, MlirOperation operation) {
  const auto types = typeTexts(api, operation);
  nlohmann::json entry = {{"op", api.nameOf(operation)}, {"types", types}};
  if (!isStatic(api, operation)) {
    entry["why_not"] = "its shape is known only at run time";
    return entry;
  }
  if (!captures(api, operation)) {
    const std::string example = exampleText(api, operation, types);
    entry["kind"] = "dag";
    entry["matcher"] = fmt::format(
        "%ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {{\n{}}} : "
        "(!transform.any_op) -> (!transform.any_value, !transform.any_value)\n",
        example);
    if (example.empty()) {
      entry["why_not"] = "its operation cannot be written on its own";
    }
    return entry;
  }
  std::string text = fmt::format(
      "transform.match.operation_name %op [\"{}\"] : !transform.any_op\n", api.nameOf(operation));
  for (std::size_t i = 0; i < types.size(); ++i) {
    text += fmt::format(
        "%operand{0} = transform.get_operand %op[{0}] : (!transform.any_op) -> "
        "!transform.any_value\n"
        "transform.iree.match.cast_compatible_type %operand{0} = {1} : !transform.any_value\n",
        i, types[i]);
  }
  entry["exact"] = false;
  entry["matcher"] = std::move(text);
  return entry;
}

}  // namespace

nlohmann::json matcherOf(const CompilerApi& api, MlirOperation operation) {
  const auto structure = structureMatcherOf(api, operation);
  return structure ? *structure : fromExample(api, operation);
}

}  // namespace hone::iree
