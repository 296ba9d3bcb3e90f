#include "iree/module/module_splits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/text/text.h"
#include "iree/mlir/affine_map.h"
#include "iree/mlir/mlir_text.h"
#include "iree/module/module_variants.h"
#include "iree/module/module_walk.h"
#include "model/problem/tensor_type.h"

namespace hone::iree {
namespace {

using model::Reduction;
using model::ReductionKind;
using Dimensions = std::vector<std::size_t>;

constexpr std::string_view kSplitAttribute = "iree_linalg_ext.split_reduction";

Dimensions readDimensions(const CompilerApi& api, MlirAttribute attribute) {
  Dimensions dimensions;
  if (attribute.ptr != nullptr) {
    for (const std::int64_t number : numbersIn(api.text(attribute))) {
      dimensions.push_back(static_cast<std::size_t>(number));
    }
  }
  return dimensions;
}

/// The loops of an operation: their sizes, and the loop that indexes each output dimension.
struct Loops {
  std::map<std::size_t, std::int64_t> sizes;
  Dimensions output;

  [[nodiscard]] std::int64_t product(const Dimensions& which) const {
    std::int64_t size = 1;
    for (const std::size_t loop : which) {
      size *= sizes.at(loop);
    }
    return size;
  }
  /// Returns the sizes of the reduction loops, outermost first.
  [[nodiscard]] std::vector<std::int64_t> summed() const {
    std::vector<std::int64_t> summed;
    for (const auto& [loop, size] : sizes) {
      if (std::find(output.begin(), output.end(), loop) == output.end()) {
        summed.push_back(size);
      }
    }
    return summed;
  }
};

/// Returns nothing for dynamic shapes and unexpected maps.
std::optional<Loops> readLoops(const CompilerApi& api, MlirOperation operation) {
  const MlirAttribute maps = api.linalgMaps(operation);
  const std::intptr_t operands = api.operationOperands(operation);
  if (maps.ptr == nullptr || api.arrayElements(maps) != operands || operands != 3) {
    return std::nullopt;
  }
  Loops loops;
  for (std::intptr_t i = 0; i < operands; ++i) {
    const auto type =
        model::tensorTypeFromMlir(api.typeText(api.valueType(api.operationOperand(operation, i))));
    const auto indices = affineIndices(api.text(api.arrayElement(maps, i)));
    if (!type || type->shape.size() != indices.size()) {
      return std::nullopt;
    }
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const auto loop = indices[d].only;
      if (loop) {
        loops.sizes[*loop] = type->shape[d];
      }
      if (i == operands - 1) {
        if (!loop) {
          return std::nullopt;
        }
        loops.output.push_back(*loop);
      }
    }
  }
  return loops;
}

std::optional<Reduction> describeConvolution(const CompilerApi& api, MlirOperation operation,
                                             const Loops& loops) {
  const MlirConvolutionDimensions found = api.linalgConvolution(operation);
  const Dimensions batch = readDimensions(api, found.batch);
  const Dimensions channels = readDimensions(api, found.outputChannel);
  if (batch.empty() || channels.empty() || readDimensions(api, found.filterLoop).empty()) {
    return std::nullopt;
  }
  Reduction reduction;
  reduction.kind = ReductionKind::convolution;
  reduction.batchSize = loops.product(batch);
  reduction.outputChannelSize = loops.product(channels);
  reduction.imageSize = loops.product(readDimensions(api, found.outputImage));
  reduction.depthSize = loops.product(readDimensions(api, found.depth));
  // The pass treats convolution dimensions that are not sums of loops like those of a matmul.
  const MlirContractionDimensions alike = api.linalgContraction(operation);
  if (const Dimensions shared = readDimensions(api, alike.k); !shared.empty()) {
    reduction.mSize = loops.product(readDimensions(api, alike.m));
    reduction.nSize = loops.product(readDimensions(api, alike.n));
    reduction.kSize = loops.product(shared);
  }
  reduction.batchFirst = std::find(batch.begin(), batch.end(), loops.output.front()) != batch.end();
  return reduction;
}

std::optional<Reduction> describeMatmul(const CompilerApi& api, MlirOperation operation,
                                        const Loops& loops) {
  if (loops.output.size() < 2) {
    return std::nullopt;
  }
  const MlirContractionDimensions found = api.linalgContraction(operation);
  Reduction reduction;
  reduction.batchSize = loops.product(readDimensions(api, found.batch));
  reduction.mSize = loops.product(readDimensions(api, found.m));
  reduction.nSize = loops.product(readDimensions(api, found.n));
  return reduction;
}

/// Returns nothing for an operation that the compiler never splits by a limit.
std::optional<Reduction> findReduction(const CompilerApi& api, MlirOperation operation) {
  if (!api.opName(operation).starts_with("linalg.")) {
    return std::nullopt;
  }
  const bool convolution = api.linalgIsConvolution(operation);
  if (!convolution && !api.linalgIsContraction(operation)) {
    return std::nullopt;
  }
  const auto loops = readLoops(api, operation);
  if (!loops || loops->output.empty() || loops->sizes.empty() ||
      loops->sizes.rbegin()->first + 1 != loops->sizes.size()) {
    return std::nullopt;
  }
  auto reduction = convolution ? describeConvolution(api, operation, *loops)
                               : describeMatmul(api, operation, *loops);
  // If the outermost loop is a reduction, the compiler uses another rule without a limit.
  const bool outer =
      std::find(loops->output.begin(), loops->output.end(), 0U) == loops->output.end();
  if (!reduction || outer) {
    return std::nullopt;
  }
  reduction->sizes = loops->summed();
  return reduction->sizes.empty() ? std::nullopt : reduction;
}

/// Calls `visit` on each operation that can be split.
template <typename Visit>
void forEachReduction(const CompilerApi& api, MlirOperation root, const Visit& visit) {
  walk(api, root, [&](MlirOperation operation) {
    if (const auto reduction = findReduction(api, operation)) {
      visit(operation, *reduction);
    }
    return MlirWalkResult::advance;
  });
}

std::string enclosingFunctionName(const CompilerApi& api, MlirOperation operation) {
  for (MlirOperation at = operation; at.ptr != nullptr; at = api.operationParent(at)) {
    const std::string name = api.opName(at);
    if (name == "util.func" || name == "func.func") {
      return api.stringAttribute(at, "sym_name");
    }
  }
  return "";
}

std::string printSizes(const std::vector<std::int64_t>& sizes) {
  std::vector<std::string> parts;
  for (const std::int64_t size : sizes) {
    parts.push_back(fmt::format("{} : index", size));
  }
  return fmt::format("[{}]", join(parts, ", "));
}

/// Returns the sizes of each split in an executable of `flow`.
SplitSizes splitsWithin(const CompilerApi& api, MlirOperation executable) {
  SplitSizes splits;
  walk(api, executable, [&](MlirOperation operation) {
    if (api.opName(operation) == "scf.forall" &&
        api.attributeText(operation, "mapping").contains("split_reduction_mapping")) {
      splits.push_back(numbersIn(api.attributeText(operation, "staticStep")));
    }
    return MlirWalkResult::advance;
  });
  return splits;
}

}  // namespace

std::vector<FunctionReduction> reductionsIn(const CompilerApi& api, MlirOperation module) {
  std::vector<FunctionReduction> found;
  forEachReduction(api, module, [&](MlirOperation operation, const Reduction& reduction) {
    found.push_back({.function = enclosingFunctionName(api, operation), .reduction = reduction});
  });
  return found;
}

bool attachSplits(const CompilerApi& api, MlirContext context, MlirOperation program,
                  const SplitSizes& sizes) {
  std::size_t at = 0;
  bool fits = true;
  forEachReduction(api, program, [&](MlirOperation operation, const Reduction& reduction) {
    const std::size_t index = at++;
    if (index >= sizes.size() || sizes[index].empty()) {
      return;
    }
    fits = fits && sizes[index].size() == reduction.sizes.size();
    const std::string text = printSizes(sizes[index]);
    api.operationSetAttribute(operation, MlirStringRef::of(kSplitAttribute),
                              api.attributeParse(context, MlirStringRef::of(text)));
  });
  if (!fits || at < sizes.size()) {
    fmt::print(stderr, "error: the split sizes do not match the program's operations\n");
  }
  return fits && at >= sizes.size();
}

bool expandSplits(const CompilerApi& api, MlirContext context, MlirOperation module,
                  std::span<const SplitSizes> choices) {
  std::vector<MlirOperation> functions;
  walk(api, module, [&](MlirOperation operation) {
    if (api.opName(operation) == "util.func") {
      functions.push_back(operation);
    }
    return operation.ptr == module.ptr ? MlirWalkResult::advance : MlirWalkResult::skip;
  });
  if (functions.size() != 1) {
    fmt::print(stderr, "error: expected one function, got {}\n", functions.size());
    return false;
  }
  bool fits = true;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const MlirOperation copy = insertCopy(api, context, functions.front(), i);
    fits = attachSplits(api, context, copy, choices[i]) && fits;
  }
  api.operationErase(functions.front());
  return fits;
}

SplitsByFunction splitsIn(const CompilerApi& api, MlirOperation module) {
  std::map<std::string, SplitSizes> executables;
  std::map<std::string, std::vector<std::string>> dispatches;  // by function, in order
  walk(api, module, [&](MlirOperation operation) {
    const std::string name = api.opName(operation);
    if (name == "flow.executable") {
      executables[api.stringAttribute(operation, "sym_name")] = splitsWithin(api, operation);
      return MlirWalkResult::skip;
    }
    if (name == "util.func") {
      dispatches[api.stringAttribute(operation, "sym_name")];
    }
    if (name == "flow.dispatch") {
      // "[@executable::@function]"
      const std::string target = api.attributeText(operation, "entry_points");
      const auto at = target.find('@') + 1;
      dispatches[enclosingFunctionName(api, operation)].push_back(
          target.substr(at, target.find_first_of(":]", at) - at));
    }
    return MlirWalkResult::advance;
  });
  SplitsByFunction splits;
  for (const auto& [function, targets] : dispatches) {
    SplitSizes& all = splits[function];
    for (const std::string& target : targets) {
      const SplitSizes& within = executables[target];
      all.insert(all.end(), within.begin(), within.end());
    }
  }
  return splits;
}

}  // namespace hone::iree
