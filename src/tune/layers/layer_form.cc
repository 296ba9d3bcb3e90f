#include "tune/layers/layer_form.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::tune {
namespace {

using model::Layer;
using model::TensorType;

constexpr std::array<LayerForm, 15> kForms = {{
    {"linalg.conv_2d_nchw_fchw", LayerKind::convolution, true, 2, {2, 3, 1, 0}},
    {"linalg.conv_2d_nhwc_hwcf", LayerKind::convolution, false, 2, {0, 1, 2, 3}},
    {"linalg.conv_2d_nhwc_fhwc", LayerKind::convolution, false, 2, {1, 2, 3, 0}},
    {"linalg.conv_1d_ncw_fcw", LayerKind::convolution, true, 1, {2, 3, 1, 0}},
    {"linalg.conv_1d_nwc_wcf", LayerKind::convolution, false, 1, {0, 1, 2, 3}},
    {"linalg.conv_2d_ngchw_gfchw", LayerKind::grouped, true, 2, {0, 3, 4, 2, 1}},
    {"linalg.conv_2d_ngchw_fgchw", LayerKind::grouped, true, 2, {1, 3, 4, 2, 0}},
    {"linalg.depthwise_conv_2d_nchw_chw", LayerKind::depthwise, true, 2, {1, 2, 0}},
    {"linalg.depthwise_conv_1d_ncw_cw", LayerKind::depthwise, true, 1, {1, 2, 0}},
    {"linalg.pooling_nchw_max", LayerKind::pooling, true, 2, {}},
    {"linalg.pooling_nchw_sum", LayerKind::pooling, true, 2, {}},
    {"linalg.pooling_ncw_max", LayerKind::pooling, true, 1, {}},
    {"linalg.pooling_ncw_sum", LayerKind::pooling, true, 1, {}},
    {"tensor.concat", LayerKind::concat, true, 2, {}},
    {"tensor.extract_slice", LayerKind::slice, true, 2, {}},
}};

/// Moves the channels of a type from behind the batch to the end.
TensorType channelsLast(const LayerForm& form, TensorType type) {
  if (form.channelsFirst) {
    std::rotate(type.shape.begin() + 1, type.shape.begin() + 2, type.shape.end());
  }
  return type;
}

}  // namespace

const LayerForm* findForm(const Layer& layer) {
  const auto* form = std::find_if(kForms.begin(), kForms.end(),
                                  [&](const LayerForm& one) { return one.op == layer.op; });
  return form == kForms.end() ? nullptr : form;
}

bool isConvolution(const Layer& layer) {
  const LayerForm* form = findForm(layer);
  return form != nullptr &&
         (form->kind == LayerKind::convolution || form->kind == LayerKind::grouped);
}

bool isMatmul(const Layer& layer) { return layer.op.contains("matmul"); }

std::optional<std::size_t> summedDim(const Layer& layer) {
  const bool batched = layer.op == "linalg.batch_matmul" && layer.result.shape.front() == 1;
  if (!batched && layer.op != "linalg.matmul") {
    return std::nullopt;
  }
  const auto maps = layer.attributes.find("indexing_maps");
  if (maps == layer.attributes.end()) {
    return batched ? 1 : 0;
  }
  const std::size_t first = batched ? 1 : 0;
  const auto map = [&](std::size_t a, std::size_t b) {
    return fmt::format("affine_map<({}) -> ({}d{}, d{})>",
                       batched ? "d0, d1, d2, d3" : "d0, d1, d2", batched ? "d0, " : "", first + a,
                       first + b);
  };
  const auto mapsTo = [&](const std::string& rhs) {
    return maps->second == fmt::format("[{}, {}, {}]", map(0, 2), rhs, map(0, 1));
  };
  if (mapsTo(map(2, 1))) {
    return first;
  }
  return mapsTo(map(1, 2)) ? std::optional(first + 1) : std::nullopt;
}

std::size_t filterRowDim(const LayerForm& form) {
  return form.kind == LayerKind::pooling ? 0 : form.filter[form.kind == LayerKind::grouped ? 1 : 0];
}

TensorType withUnit(TensorType type, std::size_t dim) {
  type.shape.insert(type.shape.begin() + static_cast<std::ptrdiff_t>(dim), 1);
  return type;
}

TensorType asPlane(const LayerForm& form, TensorType image) {
  if (form.kind == LayerKind::grouped) {
    image.shape[2] *= image.shape[1];
    image.shape.erase(image.shape.begin() + 1);
  }
  return form.spatial == 2 ? image : withUnit(image, form.channelsFirst ? 2 : 1);
}

Window findWindow(const Layer& layer, const LayerForm& form) {
  Window window;
  if (form.kind == LayerKind::concat || form.kind == LayerKind::slice) {
    return window;
  }
  const auto strides = layer.sizes("strides", form.spatial);
  const auto dilations = layer.sizes("dilations", form.spatial);
  TensorType filter = layer.operands[1];
  if (form.spatial == 1) {
    filter = withUnit(filter, filterRowDim(form));
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t at = form.kind == LayerKind::pooling
                               ? i
                               : form.filter[form.kind == LayerKind::grouped ? i + 1 : i];
    window.size[i] = filter.shape[at];
    if (form.spatial == 2 || i == 1) {
      window.stride[i] = strides[form.spatial == 2 ? i : 0];
      window.dilation[i] = dilations[form.spatial == 2 ? i : 0];
    }
  }
  return window;
}

LayerCore describeCore(const Layer& layer) {
  if (isMatmul(layer)) {
    return {.images = {layer.operands[0]}, .other = layer.operands[1], .result = layer.result};
  }
  const LayerForm& form = *findForm(layer);
  const auto last = [&](const TensorType& type) { return channelsLast(form, asPlane(form, type)); };
  LayerCore core;
  if (form.kind == LayerKind::concat || form.kind == LayerKind::slice) {
    for (const TensorType& operand : layer.operands) {
      core.images.push_back(last(operand));
    }
  } else {
    core.images = {last(layer.operands[0])};
    core.other = layer.operands[1];
  }
  core.result = last(layer.result);
  return core;
}

}  // namespace hone::tune
