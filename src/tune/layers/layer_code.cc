#include "tune/layers/layer_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tune/layers/conv_code.h"
#include "tune/layers/layer_form.h"
#include "tune/layers/layer_panels.h"
#include "tune/layers/window_code.h"

namespace hone::tune {
namespace {

using iree::Body;
using iree::Loops;
using iree::Value;
using model::Layer;
using model::TensorType;

Value asPlane(Body& body, const LayerForm& form, const Value& image) {
  if (form.kind == LayerKind::grouped) {
    return body.collapse(image, 1);
  }
  return form.spatial == 2 ? image : body.expand(image, form.channelsFirst ? 2 : 1, 1);
}

/// Reverts asPlane().
Value fromPlane(Body& body, const LayerForm& form, const Value& image, std::int64_t groups) {
  if (form.kind == LayerKind::grouped) {
    return body.expand(image, 1, groups);
  }
  return form.spatial == 2 ? image : body.collapse(image, form.channelsFirst ? 2 : 1);
}

/// Returns the type of a pack whose tiles are all channels.
TensorType packedChannels(TensorType first) {
  first.shape.push_back(std::exchange(first.shape[1], 1));
  return first;
}

Value toChannelsLast(Body& body, const LayerForm& form, const Value& image) {
  if (!form.channelsFirst) {
    return image;
  }
  const Value into = body.empty(packedChannels(image.type));
  const Value packed = body.define(
      into.type, "linalg.pack {} inner_dims_pos = [1] inner_tiles = [{}] into {} : {} -> {}",
      image.name, image.type.shape[1], into.name, image.text(), into.text());
  return body.collapse(packed, 1);
}

Value toChannelsFirst(Body& body, const LayerForm& form, const Value& image,
                      const TensorType& first) {
  if (!form.channelsFirst) {
    return image;
  }
  const Value packed = body.expand(image, 1, 1);
  const Value into = body.empty(first);
  return body.define(first,
                     "linalg.unpack {} inner_dims_pos = [1] inner_tiles = [{}] into {} : {} -> {}",
                     packed.name, first.shape[1], into.name, packed.text(), into.text());
}

Value writePooling(Body& body, const Layer& layer, const std::array<Value, 2>& operands,
                   const Value& init) {
  const std::string_view name =
      layer.op.ends_with("max") ? "linalg.pooling_nhwc_max" : "linalg.pooling_nhwc_sum";
  return body.define(init.type, "{} {{{}}} ins({}, {} : {}, {}) outs({} : {}) -> {}", name,
                     windowAttributes(findWindow(layer, *findForm(layer))), operands[0].name,
                     operands[1].name, operands[0].text(), operands[1].text(), init.name,
                     init.text(), init.text());
}

Value writeConcat(Body& body, const std::vector<Value>& images, const TensorType& result) {
  std::vector<std::string> names;
  std::vector<std::string> types;
  for (const Value& image : images) {
    names.push_back(image.name);
    types.push_back(image.text());
  }
  return body.define(result, "tensor.concat dim(3) {} : ({}) -> {}", fmt::join(names, ", "),
                     fmt::join(types, ", "), iree::tensorText(result));
}

/// Returns the integers of a slice's attribute with the channels last.
std::vector<std::int64_t> sliceSizes(const Layer& layer, const std::string& attribute) {
  std::vector<std::int64_t> sizes = layer.sizes(attribute, layer.result.shape.size());
  std::rotate(sizes.begin() + 1, sizes.begin() + 2, sizes.end());
  return sizes;
}

Value addElements(Body& body, const Value& lhs, const Value& rhs) {
  const std::size_t rank = lhs.type.shape.size();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rank; ++i) {
    names.push_back(fmt::format("d{}", i));
  }
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  const Loops loops{.names = all, .maps = {all, all, all}, .parallel = rank, .reduction = 0};
  return body.generic(loops, {lhs, rhs}, body.empty(lhs.type), "",
                      [&](const std::vector<std::string>& arguments) -> std::string {
                        body.line("  %total = arith.add{} {}, {} : {}",
                                  isFloat(lhs.type.element) ? 'f' : 'i', arguments[0], arguments[1],
                                  nameOf(lhs.type.element));
                        return "%total";
                      });
}

Value writeMatmulInPanels(Body& body, const Layer& layer, const RegisterTile& tile,
                          const std::array<Value, 2>& operands) {
  const bool batched = layer.op == "linalg.batch_matmul";
  const Value weights = batched ? body.collapse(operands[1], 0) : operands[1];
  const bool sumsRows = *summedDim(layer) == (batched ? 1U : 0U);
  const PanelOrder order = sumsRows ? PanelOrder{.filters = 1, .order = {1, 0, 2}}
                                    : PanelOrder{.filters = 0, .order = {0, 2, 1}};
  const Value product = addPanelProduct(
      body,
      {.image = operands[0], .panels = toPanels(body, weights, order, tile.columns), .tile = tile},
      panelSum(body, layer.result, tile.columns));
  return fromPanelSum(body, product, layer.result);
}

Value writeMatmulLayer(Body& body, const Layer& layer, const Way& way,
                       const std::array<Value, 2>& operands) {
  if (way.tile) {
    return writeMatmulInPanels(body, layer, *way.tile, operands);
  }
  const auto& [lhs, rhs] = operands;
  const Value sum = body.zeros(layer.result);
  const auto maps = layer.attributes.find("indexing_maps");
  return body.define(
      layer.result, "{} {}{}ins({}, {} : {}, {}) outs({} : {}) -> {}", layer.op,
      maps == layer.attributes.end() ? "" : fmt::format("indexing_maps = {} ", maps->second),
      way == Way::packedMatmul ? "{iree.opt.data_tiling} " : "", lhs.name, rhs.name, lhs.text(),
      rhs.text(), sum.name, sum.text(), sum.text());
}

}  // namespace

Value writeCore(Body& body, const Layer& layer, const Way& way, const std::vector<Value>& images,
                const std::optional<Value>& other) {
  if (isMatmul(layer)) {
    return writeMatmulLayer(body, layer, way, {images[0], *other});
  }
  const LayerForm& form = *findForm(layer);
  const TensorType result = describeCore(layer).result;
  if (form.kind == LayerKind::concat) {
    return writeConcat(body, images, result);
  }
  if (form.kind == LayerKind::slice) {
    return body.slice(images[0], sliceSizes(layer, "static_offsets"),
                      sliceSizes(layer, "static_sizes"), sliceSizes(layer, "static_strides"));
  }
  const Value filter = form.spatial == 2 ? *other : body.expand(*other, filterRowDim(form), 1);
  const std::array<Value, 2> operands = {images[0], filter};
  if (form.kind == LayerKind::depthwise) {
    return body.named("linalg.depthwise_conv_2d_nhwc_hwc",
                      windowAttributes(findWindow(layer, form)), images[0],
                      orderedFilter(body, form, filter), result);
  }
  return writeConvolution(body, layer, way, operands, result);
}

Value writeLayer(Body& body, const Layer& layer, const Way& way,
                 const std::vector<Value>& operands) {
  if (isMatmul(layer)) {
    return addElements(body, writeCore(body, layer, way, {operands[0]}, operands[1]), operands[2]);
  }
  const LayerForm& form = *findForm(layer);
  const auto last = [&](const Value& value) {
    return toChannelsLast(body, form, asPlane(body, form, value));
  };
  Value result;
  if (form.kind == LayerKind::concat || form.kind == LayerKind::slice) {
    std::vector<Value> images;
    for (const Value& operand : operands) {
      images.push_back(last(operand));
    }
    result = writeCore(body, layer, way, images, std::nullopt);
  } else if (form.kind == LayerKind::pooling) {
    // A maximum has no neutral element to start from and add to.
    const Value window =
        form.spatial == 2 ? operands[1] : body.expand(operands[1], filterRowDim(form), 1);
    const Value image = last(operands[0]);
    result = writePooling(body, layer, {image, window}, last(operands[2]));
  } else {
    const Value image = last(operands[0]);
    // The compiler fuses the sum with the operations behind it. As the start of a reduction, the
    // initial value would be written and read again.
    result =
        addElements(body, writeCore(body, layer, way, {image}, operands[1]), last(operands[2]));
  }
  return fromPlane(body, form, toChannelsFirst(body, form, result, asPlane(form, layer.result)),
                   layer.result.shape[1]);
}

}  // namespace hone::tune
