#include "iree/module/dispatches/module_roots.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/text/text.h"
#include "iree/mlir/affine_map.h"
#include "iree/module/module_walk.h"

namespace hone::iree {
namespace {

using model::RootKind;
using model::RootOperand;
using model::RootOperation;

/// The attribute with an operation's name and number, "linalg.generic#1".
constexpr std::string_view kNumber = "hone.number";

std::vector<std::vector<AffineIndex>> readIndexingMaps(const CompilerApi& api,
                                                       MlirOperation operation) {
  std::vector<std::vector<AffineIndex>> maps;
  const bool linalg = api.opName(operation).starts_with("linalg.");
  const MlirAttribute list =
      linalg ? api.linalgMaps(operation)
             : api.operationAttribute(operation, MlirStringRef::of("indexing_maps"));
  if (list.ptr == nullptr || !api.attributeIsArray(list)) {
    return maps;
  }
  for (std::intptr_t i = 0; i < api.arrayElements(list); ++i) {
    maps.push_back(affineIndices(api.text(api.arrayElement(list, i))));
  }
  return maps;
}

RootOperand describeOperand(const CompilerApi& api, MlirType type) {
  RootOperand operand;
  if (!api.typeIsShaped(type) || !api.shapedHasRank(type)) {
    operand.element = api.typeText(type);
    return operand;
  }
  operand.element = api.typeText(api.shapedElement(type));
  for (std::intptr_t d = 0; d < api.shapedRank(type); ++d) {
    operand.shape.push_back(std::max<std::int64_t>(api.shapedSize(type, d), -1));
  }
  return operand;
}

/// Adds the operands, each with the loops of its indexing map, if any.
void addOperands(const CompilerApi& api, MlirOperation operation,
                 const std::vector<std::vector<AffineIndex>>& maps, RootOperation& root) {
  const std::intptr_t count = api.operationOperands(operation);
  // On tensors every output is also a result; on buffers the last operand is the output.
  const std::intptr_t outputs = std::max<std::intptr_t>(1, api.operationResults(operation));
  for (std::intptr_t i = 0; i < count; ++i) {
    RootOperand operand = describeOperand(api, api.valueType(api.operationOperand(operation, i)));
    if (static_cast<std::size_t>(i) < maps.size()) {
      for (const AffineIndex& index : maps[static_cast<std::size_t>(i)]) {
        operand.loops.push_back(index.loops);
      }
    }
    (i < count - outputs ? root.inputs : root.outputs).push_back(std::move(operand));
  }
}

/// Derives the loop sizes from operand dimensions indexed by a single loop. Loops that no output
/// depends on are reductions.
void addLoops(const std::vector<std::vector<AffineIndex>>& maps, RootOperation& root) {
  std::vector<RootOperand> operands = root.inputs;
  operands.insert(operands.end(), root.outputs.begin(), root.outputs.end());
  const auto loopAt = [&](std::size_t number) -> model::Loop& {
    if (root.loops.size() <= number) {
      root.loops.resize(number + 1, {-1, true});
    }
    return root.loops[number];
  };
  for (std::size_t i = 0; i < std::min(maps.size(), operands.size()); ++i) {
    for (std::size_t d = 0; d < std::min(maps[i].size(), operands[i].shape.size()); ++d) {
      for (const std::size_t loop : maps[i][d].loops) {
        loopAt(loop).reduction = loopAt(loop).reduction && i < root.inputs.size();
      }
      if (const auto only = maps[i][d].only; only && loopAt(*only).size < 0) {
        loopAt(*only).size = operands[i].shape[d];
      }
    }
  }
}

/// Adds the loops of a pack or unpack: the compiler tiles both by the outer dimensions of the
/// result.
void addPackingLoops(RootOperation& root) {
  if (root.inputs.empty() || root.outputs.empty()) {
    return;
  }
  const auto& outputShape = root.outputs.front().shape;
  const std::size_t rank = std::min(outputShape.size(), root.inputs.front().shape.size());
  for (std::size_t d = 0; d < rank; ++d) {
    root.loops.push_back({outputShape[d], false});
  }
}

/// Reads `iterator_types`, which also has reductions over loops of size one.
void readIterators(const CompilerApi& api, MlirOperation operation, RootOperation& root) {
  const MlirAttribute list = api.operationAttribute(operation, MlirStringRef::of("iterator_types"));
  if (list.ptr == nullptr || !api.attributeIsArray(list)) {
    return;
  }
  const auto count = static_cast<std::size_t>(api.arrayElements(list));
  root.loops.resize(count, {-1, false});
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = api.text(api.arrayElement(list, static_cast<std::intptr_t>(i)));
    root.loops[i].reduction = text.contains("reduction");
  }
}

using Indices = std::vector<std::vector<std::size_t>>;

/// Returns true if a contraction multiplies packed tiles: M K m k, N K n k and M N m n, optionally
/// with a leading batch dimension.
bool isPackedContraction(const RootOperation& root) {
  if (root.inputs.size() != 2 || root.outputs.size() != 1) {
    return false;
  }
  Indices lhs = root.inputs[0].loops;
  Indices rhs = root.inputs[1].loops;
  Indices out = root.outputs[0].loops;
  if (lhs.size() == 5 && rhs.size() == 5 && out.size() == 5 && lhs[0] == rhs[0] &&
      lhs[0] == out[0]) {
    for (Indices* indices : {&lhs, &rhs, &out}) {
      indices->erase(indices->begin());
    }
  }
  return lhs.size() == 4 && rhs.size() == 4 && out == Indices{lhs[0], rhs[0], lhs[2], rhs[2]} &&
         lhs[1] == rhs[1] && lhs[3] == rhs[3];
}

/// Returns true if a windowed operation has a filter with channels. The window operand of a pooling
/// depends only on the window's loops.
bool hasChannels(const RootOperation& root) {
  if (root.inputs.size() != 2) {
    return false;
  }
  std::vector<std::size_t> windows;
  for (const auto& loops : root.inputs[0].loops) {
    if (loops.size() > 1) {
      windows.insert(windows.end(), loops.begin(), loops.end());
    }
  }
  return std::any_of(root.inputs[1].loops.begin(), root.inputs[1].loops.end(),
                     [&](const std::vector<std::size_t>& loops) {
                       return loops.size() == 1 &&
                              std::find(windows.begin(), windows.end(), loops[0]) == windows.end();
                     });
}

bool isPacking(std::string_view name) {
  return name.ends_with(".pack") || name.ends_with(".unpack");
}

RootKind classifyRoot(const CompilerApi& api, MlirOperation operation, const RootOperation& root,
                      bool mapped) {
  const std::string name = api.opName(operation);
  if (name.starts_with("iree_linalg_ext.") && name.ends_with("attention")) {
    return RootKind::attention;
  }
  if (isPacking(name)) {
    return RootKind::packing;
  }
  if (!mapped || !name.starts_with("linalg.")) {
    return RootKind::other;
  }
  if (api.linalgIsContraction(operation)) {
    return isPackedContraction(root) ? RootKind::mmt4d : RootKind::contraction;
  }
  if (api.linalgIsConvolution(operation) &&
      (hasChannels(root) || name.starts_with("linalg.conv"))) {
    return RootKind::convolution;
  }
  const bool sums = std::any_of(root.loops.begin(), root.loops.end(),
                                [](const model::Loop& loop) { return loop.reduction; });
  return sums ? RootKind::reduction : RootKind::elementwise;
}

/// Sets the name and ordinal before configuration, or the current ones if a rewrite dropped them.
void setRootName(const CompilerApi& api, MlirOperation operation, std::size_t number,
                 RootOperation& root) {
  root.op = api.opName(operation);
  root.ordinal = number;
  root.attachable = false;
  const std::string noted = api.stringAttribute(operation, kNumber);
  const auto at = noted.rfind('#');
  if (const auto ordinal =
          at == std::string::npos ? std::nullopt : parseInt(noted.substr(at + 1))) {
    root.attachable = true;
    root.op = noted.substr(0, at);
    root.ordinal = static_cast<std::size_t>(*ordinal);
  }
}

RootOperation describeRoot(const CompilerApi& api, MlirOperation operation, std::size_t number) {
  RootOperation root;
  setRootName(api, operation, number, root);
  const auto maps = readIndexingMaps(api, operation);
  addOperands(api, operation, maps, root);
  if (isPacking(api.opName(operation))) {
    addPackingLoops(root);
  } else {
    addLoops(maps, root);
    readIterators(api, operation, root);
  }
  root.kind = classifyRoot(api, operation, root, !maps.empty());
  root.loweringConfig = api.attributeText(operation, "lowering_config");
  return root;
}

/// Describes an operation with a lowering_config that is not a root.
model::CompanionOperation describeCompanion(const CompilerApi& api, MlirOperation operation,
                                            std::size_t number) {
  const RootOperation described = describeRoot(api, operation, number);
  model::CompanionOperation companion{
      .op = "", .loops = described.loops, .loweringConfig = described.loweringConfig};
  // A spec counts the operations after the rewrites, an attached config before them.
  const std::string place = fmt::format("{}#{}", api.opName(operation), number);
  if (api.stringAttribute(operation, kNumber) == place) {
    companion.op = place;
  }
  return companion;
}

/// Returns the roots in one executable, or one entry without an operation if there is none.
std::vector<RootOperation> rootsWithin(const CompilerApi& api, MlirOperation executable) {
  std::vector<RootOperation> roots;
  std::vector<model::CompanionOperation> companions;
  std::map<std::string, std::size_t> seen;
  std::string translation;
  walk(api, executable, [&](MlirOperation operation) {
    const std::string name = api.opName(operation);
    const std::size_t number = seen[name]++;
    if (name == "func.func") {
      translation = api.attributeText(operation, "translation_info");
    }
    if (!api.attributeText(operation, "root_op").empty()) {
      roots.push_back(describeRoot(api, operation, number));
      roots.back().translationInfo = translation;
    } else if (!api.attributeText(operation, "lowering_config").empty()) {
      companions.push_back(describeCompanion(api, operation, number));
    }
    return MlirWalkResult::advance;
  });
  for (RootOperation& root : roots) {
    root.companions = companions;
  }
  if (roots.empty()) {
    roots.emplace_back().translationInfo = translation;
    roots.back().attachable = false;
  }
  return roots;
}

}  // namespace

void numberOperations(const CompilerApi& api, MlirContext context, MlirOperation module) {
  for (const MlirOperation executable : executablesIn(api, module)) {
    std::map<std::string, std::size_t> seen;
    walk(api, executable, [&](MlirOperation operation) {
      const std::string name = api.opName(operation);
      const std::size_t number = seen[name]++;
      const bool computes = name.starts_with("linalg.") || name.starts_with("iree_linalg_ext.");
      if (computes && api.operationResults(operation) > 0 && name != "linalg.index") {
        const std::string text = fmt::format("{}#{}", name, number);
        api.operationSetAttribute(operation, MlirStringRef::of(kNumber),
                                  api.makeStringAttribute(context, MlirStringRef::of(text)));
      }
      return MlirWalkResult::advance;
    });
  }
}

bool hasGpuSoftmax(const CompilerApi& api, MlirOperation module) {
  bool found = false;
  walk(api, module, [&](MlirOperation operation) {
    const std::string name = api.opName(operation);
    if (name == "hal.executable.variant" &&
        api.attributeText(operation, "target").contains("\"llvm-cpu\"")) {
      return MlirWalkResult::skip;
    }
    found = found || name == "linalg.softmax";
    return found ? MlirWalkResult::interrupt : MlirWalkResult::advance;
  });
  return found;
}

std::vector<RootOperation> rootsIn(const CompilerApi& api, MlirOperation module) {
  std::vector<RootOperation> roots;
  for (const MlirOperation executable : executablesIn(api, module)) {
    for (RootOperation& root : rootsWithin(api, executable)) {
      root.dispatch = api.stringAttribute(executable, "sym_name");
      roots.push_back(std::move(root));
    }
  }
  return roots;
}

}  // namespace hone::iree
