#include "iree/module/module_layers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "iree/module/module_walk.h"

namespace hone::iree {
namespace {

using model::Layer;

/// Operations that can be layers, and the attributes that distinguish them.
struct LayerKind {
  std::string_view op;
  std::array<std::string_view, 3> attributes;
};

constexpr std::array<std::string_view, 3> kWindow = {"dilations", "strides"};
constexpr std::array<std::string_view, 3> kMaps = {"indexing_maps"};
constexpr std::array<LayerKind, 17> kLayerKinds = {{
    {"linalg.conv_2d_nchw_fchw", kWindow},
    {"linalg.conv_2d_nhwc_hwcf", kWindow},
    {"linalg.conv_2d_nhwc_fhwc", kWindow},
    {"linalg.conv_1d_ncw_fcw", kWindow},
    {"linalg.conv_1d_nwc_wcf", kWindow},
    {"linalg.conv_2d_ngchw_gfchw", kWindow},
    {"linalg.conv_2d_ngchw_fgchw", kWindow},
    {"linalg.depthwise_conv_2d_nchw_chw", kWindow},
    {"linalg.depthwise_conv_1d_ncw_cw", kWindow},
    {"linalg.pooling_nchw_max", kWindow},
    {"linalg.pooling_nchw_sum", kWindow},
    {"linalg.pooling_ncw_max", kWindow},
    {"linalg.pooling_ncw_sum", kWindow},
    {"tensor.concat", {"dim"}},
    {"tensor.extract_slice", {"static_offsets", "static_sizes", "static_strides"}},
    {"linalg.matmul", kMaps},
    {"linalg.batch_matmul", kMaps},
}};

/// Returns the operation as a layer; nothing if it is not a layer or has a dynamic shape.
std::optional<Layer> describeLayer(const CompilerApi& api, MlirOperation operation) {
  const std::string name = api.opName(operation);
  const auto kind = std::find_if(kLayerKinds.begin(), kLayerKinds.end(),
                                 [&](const LayerKind& one) { return one.op == name; });
  if (kind == kLayerKinds.end() || api.operationResults(operation) != 1) {
    return std::nullopt;
  }
  Layer layer;
  layer.op = name;
  for (std::intptr_t i = 0; i < api.operationOperands(operation); ++i) {
    auto type = model::tensorTypeFromMlir(api.typeText(operandType(api, operation, i)));
    if (!type) {
      return std::nullopt;
    }
    layer.operands.push_back(std::move(*type));
  }
  auto result =
      model::tensorTypeFromMlir(api.typeText(api.valueType(api.operationResult(operation, 0))));
  if (!result) {
    return std::nullopt;
  }
  layer.result = std::move(*result);
  for (const std::string_view attribute : kind->attributes) {
    std::string text = attribute.empty() ? "" : api.attributeText(operation, attribute);
    if (!text.empty()) {
      layer.attributes.emplace(attribute, std::move(text));
    }
  }
  return layer;
}

/// Returns true if no argument of the function, directly or through other operations, determines
/// the elements of the value. Sizes may depend on arguments.
bool isFixed(const CompilerApi& api, MlirValue value, std::set<const void*>& seen) {
  if (!seen.insert(value.ptr).second) {
    return true;
  }
  if (api.valueIsArgument(value)) {
    return false;
  }
  const MlirOperation owner = api.resultOwner(value);
  for (std::intptr_t i = 0; i < api.operationOperands(owner); ++i) {
    const MlirValue operand = api.operationOperand(owner, i);
    if (api.typeText(api.valueType(operand)) != "index" && !isFixed(api, operand, seen)) {
      return false;
    }
  }
  return true;
}

/// Returns true if the second operand can be reordered at compile time. In loops, the compiler
/// would reorder it in every iteration.
bool hasFixedWeights(const CompilerApi& api, MlirOperation operation) {
  if (api.operationOperands(operation) < 2) {
    return true;
  }
  std::set<const void*> seen;
  const std::string parent = api.opName(api.operationParent(operation));
  return !parent.starts_with("scf.") && isFixed(api, api.operationOperand(operation, 1), seen);
}

}  // namespace

std::vector<Layer> layersIn(const CompilerApi& api, MlirOperation module) {
  std::vector<Layer> layers;
  walk(api, module, [&](MlirOperation operation) {
    if (auto layer = describeLayer(api, operation)) {
      layer->fixedWeights = hasFixedWeights(api, operation);
      const auto same = std::find_if(layers.begin(), layers.end(), [&](const Layer& one) {
        return one.op == layer->op && one.operands == layer->operands &&
               one.attributes == layer->attributes;
      });
      if (same == layers.end()) {
        layers.push_back(std::move(*layer));
      } else {
        ++same->calls;
        same->fixedWeights = same->fixedWeights && layer->fixedWeights;
      }
    }
    return MlirWalkResult::advance;
  });
  return layers;
}

}  // namespace hone::iree
