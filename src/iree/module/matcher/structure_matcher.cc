#include "iree/module/matcher/structure_matcher.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "base/text/text.h"
#include "iree/mlir/affine_map.h"
#include "iree/mlir/mlir_text.h"
#include "iree/module/module_spec.h"
#include "iree/module/module_walk.h"

namespace hone::iree {
namespace {

using Sizes = std::vector<std::int64_t>;
using LoopNumbers = std::vector<std::int64_t>;

MlirAttribute mapsAttribute(const CompilerApi& api, MlirOperation operation) {
  if (api.opName(operation).starts_with("linalg.")) {
    return api.linalgMaps(operation);
  }
  return api.operationAttribute(operation, MlirStringRef::of("indexing_maps"));
}

std::string elementType(const CompilerApi& api, MlirOperation operation, std::intptr_t operand) {
  const MlirType type = operandType(api, operation, operand);
  return api.typeText(api.typeIsShaped(type) ? api.shapedElement(type) : type);
}

/// Returns the sizes of the loops that index an operand's dimension directly; -1 if dynamic.
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

/// The parameters of a structure matcher.
struct Structure {
  std::string kind;
  std::string_view matcher;
  std::vector<std::pair<std::string_view, std::string>>
      types;  ///< by the matcher's parameter names
  std::span<const std::string_view> names;
  std::vector<LoopNumbers> groups;  ///< the loops of each role, in the order of names
  std::vector<Sizes> sizes;         ///< one per name; -1: unknown
};

LoopNumbers loopsIn(const CompilerApi& api, MlirAttribute numbers) {
  return numbers.ptr == nullptr ? LoopNumbers() : numbersIn(api.text(numbers));
}

/// Returns the loop sizes of each group; -1 for an unknown size.
std::vector<Sizes> findSizes(const std::map<std::int64_t, std::int64_t>& loops,
                             const std::vector<LoopNumbers>& groups) {
  std::vector<Sizes> sizes;
  for (const LoopNumbers& group : groups) {
    Sizes& of = sizes.emplace_back();
    for (const std::int64_t loop : group) {
      const auto found = loops.find(loop);
      of.push_back(found == loops.end() ? -1 : found->second);
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

std::optional<Structure> readContraction(const CompilerApi& api, MlirOperation operation) {
  if (!api.opName(operation).starts_with("linalg.") || !api.linalgIsContraction(operation) ||
      api.operationOperands(operation) != 3) {
    return std::nullopt;
  }
  const MlirContractionDimensions found = api.linalgContraction(operation);
  std::vector<LoopNumbers> groups = {loopsIn(api, found.batch), loopsIn(api, found.m),
                                     loopsIn(api, found.n), loopsIn(api, found.k)};
  auto sizes = findSizes(loopSizes(api, operation), groups);
  return Structure{"contraction",     "contraction",     threeTypes(api, operation),
                   kContractionSizes, std::move(groups), std::move(sizes)};
}

std::optional<Structure> readConvolution(const CompilerApi& api, MlirOperation operation) {
  if (!api.opName(operation).starts_with("linalg.") || !api.linalgIsConvolution(operation) ||
      api.operationOperands(operation) != 3) {
    return std::nullopt;
  }
  const MlirConvolutionDimensions found = api.linalgConvolution(operation);
  if (found.filterLoop.ptr == nullptr) {
    return std::nullopt;
  }
  std::vector<LoopNumbers> groups;
  for (const MlirAttribute& group : {found.batch, found.outputImage, found.outputChannel,
                                     found.filterLoop, found.inputChannel, found.depth}) {
    groups.push_back(loopsIn(api, group));
  }
  auto sizes = findSizes(loopSizes(api, operation), groups);
  sizes.push_back(loopsIn(api, found.strides));
  sizes.push_back(loopsIn(api, found.dilations));
  return Structure{"convolution",     "convolution",     threeTypes(api, operation),
                   kConvolutionSizes, std::move(groups), std::move(sizes)};
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

/// Returns the loops of an attention by role (kAttentionSizes), each group outermost first.
std::vector<LoopNumbers> attentionLoops(const std::vector<std::string>& maps, std::size_t output) {
  const auto query = loopSet(maps[0]);
  const auto key = loopSet(maps[1]);
  const auto value = loopSet(maps[2]);
  const auto result = loopSet(maps[output]);
  std::vector<LoopNumbers> groups(kAttentionSizes.size());
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

std::optional<Structure> readAttention(const CompilerApi& api, MlirOperation operation) {
  const std::string name = api.opName(operation);
  const bool online = name == "iree_linalg_ext.online_attention";
  const auto operands = api.operationOperands(operation);
  const auto maps = mapTexts(api, operation);
  // A mask is an additional operand, which the matcher of online attention rejects.
  if ((!online && name != "iree_linalg_ext.attention") || (online && operands != 7) ||
      operands < 5 || maps.size() != static_cast<std::size_t>(operands)) {
    return std::nullopt;
  }
  const std::intptr_t output = online ? 4 : operands - 1;
  auto groups = attentionLoops(maps, static_cast<std::size_t>(output));
  auto sizes = findSizes(loopSizes(api, operation), groups);
  Structure structure{"attention",
                      online ? "online_attention" : "attention",
                      {{"query_type", elementType(api, operation, 0)},
                       {"key_type", elementType(api, operation, 1)},
                       {"value_type", elementType(api, operation, 2)}},
                      kAttentionSizes,
                      std::move(groups),
                      std::move(sizes)};
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

OperationMatcher fromStructure(const CompilerApi& api, MlirOperation operation,
                               const Structure& structure) {
  OperationMatcher result;
  result.matched.kind = structure.kind;
  result.matched.op = api.opName(operation);
  for (const auto& [name, type] : structure.types) {
    result.matched.types.push_back(type);
  }
  for (std::size_t i = 0; i < structure.names.size(); ++i) {
    result.matched.sizes.push_back(
        {.name = std::string(structure.names[i]), .values = structure.sizes[i]});
  }
  result.matcher = structureText(structure, printMaps(api, operation));
  return result;
}

std::optional<Structure> readStructure(const CompilerApi& api, MlirOperation operation) {
  for (const auto& read : {readContraction, readConvolution, readAttention}) {
    if (auto structure = read(api, operation)) {
      return structure;
    }
  }
  return std::nullopt;
}

bool hasStaticSizes(const Structure& structure) {
  return std::ranges::all_of(structure.sizes, [](const Sizes& sizes) {
    return std::ranges::all_of(sizes, [](std::int64_t size) { return size >= 0; });
  });
}

}  // namespace

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

std::string printMaps(const CompilerApi& api, MlirOperation operation) {
  const std::string name = api.opName(operation);
  if (!name.starts_with("linalg.") && !name.starts_with("iree_linalg_ext.")) {
    return "";
  }
  const MlirAttribute maps = mapsAttribute(api, operation);
  return maps.ptr == nullptr ? "" : api.text(maps);
}

std::optional<OperationStructure> describeStructure(const CompilerApi& api,
                                                    MlirOperation operation) {
  const auto structure = readStructure(api, operation);
  if (!structure) {
    return std::nullopt;
  }
  OperationStructure described{.kind = structure->kind, .roles = {}};
  for (std::size_t i = 0; i < structure->names.size(); ++i) {
    const bool loops = i < structure->groups.size();
    described.roles.push_back({.name = std::string(structure->names[i]),
                               .loops = loops ? structure->groups[i] : LoopNumbers(),
                               .sizes = structure->sizes[i],
                               .sized = true});
  }
  return described;
}

std::optional<OperationMatcher> matchStructure(const CompilerApi& api, MlirOperation operation) {
  const auto structure = readStructure(api, operation);
  if (!structure || !hasStaticSizes(*structure)) {
    return std::nullopt;
  }
  return fromStructure(api, operation, *structure);
}

}  // namespace hone::iree
