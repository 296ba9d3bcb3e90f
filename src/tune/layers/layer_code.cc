#include "tune/layers/layer_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tune/layers/layer_form.h"
#include "tune/layers/layer_panels.h"

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

std::string windowAttributes(const Window& window) {
  return fmt::format(
      "dilations = dense<[{}]> : tensor<2xi64>, strides = dense<[{}]> : tensor<2xi64>",
      fmt::join(window.dilation, ", "), fmt::join(window.stride, ", "));
}

/// Returns the filter with its dimensions in the order (groups,) y, x, c, f. The barrier keeps the
/// compiler from reading the original order in the innermost loop; it transposes constants at
/// compile time.
Value orderedFilter(Body& body, const LayerForm& form, const Value& filter) {
  const std::size_t rank = filter.type.shape.size();
  const Value ordered = body.transpose(
      filter, {form.filter.begin(), form.filter.begin() + static_cast<std::ptrdiff_t>(rank)});
  return body.define(ordered.type, "iree_tensor_ext.compute_barrier.start {} : {} -> {}",
                     ordered.name, ordered.text(), ordered.text());
}

Value collapseTimes(Body& body, Value value, std::size_t dim, int times) {
  for (int i = 0; i < times; ++i) {
    value = body.collapse(value, dim);
  }
  return value;
}

/// Returns the pixels at a position of the window, one per result pixel.
Value seenFrom(Body& body, const Window& window, const Value& image, const TensorType& result,
               std::array<std::int64_t, 2> position) {
  std::vector<std::int64_t> offsets(image.type.shape.size(), 0);
  std::vector<std::int64_t> sizes = image.type.shape;
  std::vector<std::int64_t> strides(image.type.shape.size(), 1);
  for (std::size_t i = 0; i < 2; ++i) {
    offsets[i + 1] = position[i] * window.dilation[i];
    sizes[i + 1] = result.shape[i + 1];
    strides[i + 1] = window.stride[i];
  }
  return body.slice(image, offsets, sizes, strides);
}

/// Returns the ordered filter at a position of the window, without the dimensions of the window.
Value filterAt(Body& body, const LayerForm& form, const Value& filter,
               std::array<std::int64_t, 2> position) {
  const std::size_t first = form.kind == LayerKind::grouped ? 1 : 0;
  std::vector<std::int64_t> offsets(filter.type.shape.size(), 0);
  std::vector<std::int64_t> sizes = filter.type.shape;
  for (std::size_t i = 0; i < 2; ++i) {
    offsets[first + i] = position[i];
    sizes[first + i] = 1;
  }
  return collapseTimes(body, body.slice(filter, offsets, sizes), first, 2);
}

/// Returns the loops of the matmul at one position.
Loops positionLoops(const LayerForm& form) {
  if (form.kind == LayerKind::grouped) {
    return {.names = "n, h, w, g, f, c",
            .maps = {"n, h, w, g, c", "g, c, f", "n, h, w, g, f"},
            .parallel = 5,
            .reduction = 1};
  }
  return {.names = "n, h, w, f, c",
          .maps = {"n, h, w, c", "c, f", "n, h, w, f"},
          .parallel = 4,
          .reduction = 1};
}

Value writePerPosition(Body& body, const LayerForm& form, const Window& window,
                       std::array<Value, 2> operands, TensorType result) {
  operands[1] = orderedFilter(body, form, operands[1]);
  if (form.kind == LayerKind::grouped) {
    const std::int64_t groups = operands[1].type.shape[0];
    operands[0] = body.expand(operands[0], 3, groups);
    result.shape.back() /= groups;
    result.shape.insert(result.shape.end() - 1, groups);
  }
  Value sum = body.zeros(result);
  for (std::int64_t y = 0; y < window.size[0]; ++y) {
    for (std::int64_t x = 0; x < window.size[1]; ++x) {
      sum =
          body.accumulate(positionLoops(form), seenFrom(body, window, operands[0], result, {y, x}),
                          filterAt(body, form, operands[1], {y, x}), sum);
    }
  }
  return form.kind == LayerKind::grouped ? body.collapse(sum, 3) : sum;
}

/// Returns a copy of the windows, with the given loops for the two dimensions of the window.
Value copyWindows(Body& body, const Loops& loops, const Value& image, TensorType type) {
  type.element = image.type.element;
  return body.generic(loops, {image}, body.empty(type), "",
                      [](const std::vector<std::string>& arguments) { return arguments[0]; });
}

/// Returns a copy of the windows' rows, one per pixel of the result and row of the image.
Value copyRows(Body& body, const Window& window, const Value& image, const TensorType& result) {
  const std::vector<std::int64_t>& shape = image.type.shape;
  const Loops loops{
      .names = "n, h, w, x, c",
      .maps = {fmt::format("n, h, w * {} + x * {}, c", window.stride[1], window.dilation[1]),
               "n, h, w, x, c"},
      .parallel = 5,
      .reduction = 0};
  return body.collapse(
      copyWindows(body, loops, image,
                  {{shape[0], shape[1], result.shape[2], window.size[1], shape[3]}}),
      3);
}

/// Returns the window with its columns merged into one.
Window mergeColumns(Window window) {
  window.size[1] = window.stride[1] = window.dilation[1] = 1;
  return window;
}

Value writePerRow(Body& body, const LayerForm& form, const Window& window,
                  const std::array<Value, 2>& operands, const TensorType& result) {
  const Value rows = copyRows(body, window, operands[0], result);
  const Value filter = body.collapse(orderedFilter(body, form, operands[1]), 1);
  const Window column = mergeColumns(window);
  Value sum = body.zeros(result);
  for (std::int64_t y = 0; y < window.size[0]; ++y) {
    const Value part = body.collapse(
        body.slice(filter, {y, 0, 0}, {1, filter.type.shape[1], filter.type.shape[2]}), 0);
    sum = body.accumulate(positionLoops(form), seenFrom(body, column, rows, result, {y, 0}), part,
                          sum);
  }
  return sum;
}

/// Returns a copy of every window, one per result pixel.
Value copyAllWindows(Body& body, const Window& window, const Value& image,
                     const TensorType& result) {
  const Loops loops{.names = "n, h, w, y, x, c",
                    .maps = {fmt::format("n, h * {} + y * {}, w * {} + x * {}, c", window.stride[0],
                                         window.dilation[0], window.stride[1], window.dilation[1]),
                             "n, h, w, y, x, c"},
                    .parallel = 6,
                    .reduction = 0};
  return copyWindows(body, loops, image,
                     {{result.shape[0], result.shape[1], result.shape[2], window.size[0],
                       window.size[1], image.type.shape[3]}});
}

/// Returns the windows as rows of a matrix. Copies them unless they are single pixels.
Value windowRows(Body& body, const Window& window, Value image, const TensorType& result) {
  if (!window.isPixel()) {
    image = collapseTimes(body, copyAllWindows(body, window, image, result), 3, 2);
  }
  return collapseTimes(body, image, 0, 2);
}

/// Returns the rows of a matmul's result as an image.
Value fromRows(Body& body, const Value& rows, const TensorType& result) {
  return body.expand(body.expand(rows, 0, result.shape[0]), 1, result.shape[1]);
}

Value writeMatmul(Body& body, const LayerForm& form, const Window& window,
                  const std::array<Value, 2>& operands, const TensorType& result, bool packed) {
  const Value rows = windowRows(body, window, operands[0], result);
  const Value columns = collapseTimes(body, orderedFilter(body, form, operands[1]), 0, 2);
  const Value sum = body.zeros({{rows.type.shape[0], columns.type.shape[1]}, result.element});
  const Value product =
      body.define(sum.type, "linalg.matmul {}ins({}, {} : {}, {}) outs({} : {}) -> {}",
                  packed ? "{iree.opt.data_tiling} " : "", rows.name, columns.name, rows.text(),
                  columns.text(), sum.name, sum.text(), sum.text());
  return fromRows(body, product, result);
}

/// Returns the filter in panels; the order of its dimensions uses the letters y, x and c, p for the
/// panels and o for the columns of a panel, and g for groups, which is ignored if there are none.
Value filterPanels(Body& body, const LayerForm& form, const Value& filter, std::string_view letters,
                   std::int64_t columns) {
  const std::size_t first = form.kind == LayerKind::grouped ? 1 : 0;
  const std::size_t filters = form.filter[first + 3];
  PanelOrder order{.filters = filters, .order = {}};
  const auto add = [&](std::size_t dim) { order.order.push_back(dim > filters ? dim + 1 : dim); };
  for (const char letter : letters) {
    switch (letter) {
      case 'g':
        if (first > 0) {
          add(form.filter[0]);
        }
        break;
      case 'y':
        add(form.filter[first]);
        break;
      case 'x':
        add(form.filter[first + 1]);
        break;
      case 'c':
        add(form.filter[first + 2]);
        break;
      default:
        order.order.push_back(letter == 'p' ? filters : filters + 1);
    }
  }
  return toPanels(body, filter, order, columns);
}

/// Returns a sum of products with panels, one per position of the window. `image` has the pixels of
/// the first dimensions of `panels`.
Value sumOverPositions(Body& body, const Window& window, const PanelProduct& operands,
                       const TensorType& result) {
  Value sum = panelSum(body, result, operands.tile.columns);
  for (std::int64_t y = 0; y < window.size[0]; ++y) {
    for (std::int64_t x = 0; x < window.size[1]; ++x) {
      std::vector<std::int64_t> offsets(operands.panels.type.shape.size(), 0);
      std::vector<std::int64_t> sizes = operands.panels.type.shape;
      offsets[0] = y;
      offsets[1] = x;
      sizes[0] = sizes[1] = 1;
      const Value panels = collapseTimes(body, body.slice(operands.panels, offsets, sizes), 0, 2);
      const bool last = y + 1 == window.size[0] && x + 1 == window.size[1];
      sum = addPanelProduct(body,
                            {.image = seenFrom(body, window, operands.image, result, {y, x}),
                             .grouped = operands.grouped,
                             .panels = panels,
                             .tile = operands.tile,
                             .isRoot = operands.isRoot || last},
                            sum);
    }
  }
  return sum;
}

Value writeAtOnce(Body& body, const Window& window, PanelProduct operands,
                  const TensorType& result) {
  operands.isRoot = false;
  // Also defines the constant zero, which must not be defined inside of the region.
  const Value start = panelSum(body, result, operands.tile.columns);
  const Value region = body.define(start.type, "flow.dispatch.region -> ({}) {{", start.text());
  const Value sum = sumOverPositions(body, window, operands, result);
  body.line("flow.return {} : {}", sum.name, sum.text());
  body.line("}}");
  return fromPanelSum(body, region, result);
}

Value writeRowsInPanels(Body& body, const LayerForm& form, const Window& window,
                        const std::array<Value, 2>& operands, const RegisterTile& tile,
                        const TensorType& result) {
  const Value rows = copyRows(body, window, operands[0], result);
  Value panels = filterPanels(body, form, operands[1], "ypxco", tile.columns);
  panels = body.expand(body.collapse(panels, 2), 1, 1);
  return fromPanelSum(body,
                      sumOverPositions(body, mergeColumns(window),
                                       {.image = rows, .panels = panels, .tile = tile}, result),
                      result);
}

/// Like writeInPanels(), for a result whose channels are split into groups if there are any.
Value writeGroupsInPanels(Body& body, const LayerForm& form, const Window& window, const Way& way,
                          const std::array<Value, 2>& operands, const TensorType& result) {
  const RegisterTile& tile = *way.tile;
  const bool grouped = form.kind == LayerKind::grouped;
  if (way.method == Method::matmul) {
    const Value panels = collapseTimes(
        body, filterPanels(body, form, operands[1], "gpyxco", tile.columns), grouped ? 2 : 1, 2);
    const Value rows = windowRows(body, window, operands[0], result);
    TensorType product = result;
    product.shape.erase(product.shape.begin(), product.shape.begin() + 2);
    product.shape.front() = rows.type.shape[0];
    const Value sum =
        addPanelProduct(body, {.image = rows, .grouped = grouped, .panels = panels, .tile = tile},
                        panelSum(body, product, tile.columns));
    return fromRows(body, fromPanelSum(body, sum, product), result);
  }
  if (way.method == Method::perRow) {
    return writeRowsInPanels(body, form, window, operands, tile, result);
  }
  const PanelProduct product{
      .image = operands[0],
      .grouped = grouped,
      .panels = filterPanels(body, form, operands[1], "yxgpco", tile.columns),
      .tile = tile};
  return way.method == Method::atOnce
             ? writeAtOnce(body, window, product, result)
             : fromPanelSum(body, sumOverPositions(body, window, product, result), result);
}

Value writeInPanels(Body& body, const LayerForm& form, const Window& window, const Way& way,
                    std::array<Value, 2> operands, TensorType result) {
  if (form.kind != LayerKind::grouped) {
    return writeGroupsInPanels(body, form, window, way, operands, result);
  }
  const std::int64_t groups = operands[1].type.shape[form.filter[0]];
  operands[0] = body.expand(operands[0], 3, groups);
  result.shape.back() /= groups;
  result.shape.insert(result.shape.end() - 1, groups);
  return body.collapse(writeGroupsInPanels(body, form, window, way, operands, result), 3);
}

Value writeConvolution(Body& body, const Layer& layer, const Way& way,
                       const std::array<Value, 2>& operands, const TensorType& result) {
  const LayerForm& form = *findForm(layer);
  const Window window = findWindow(layer, form);
  if (way.tile) {
    return writeInPanels(body, form, window, way, operands, result);
  }
  switch (way.method) {
    case Method::matmul:
    case Method::packedMatmul:
      return writeMatmul(body, form, window, operands, result, way == Way::packedMatmul);
    case Method::perRow:
      return writePerRow(body, form, window, operands, result);
    case Method::perPosition:
      return writePerPosition(body, form, window, operands, result);
    case Method::direct:
    case Method::atOnce:
      break;
  }
  return body.named("linalg.conv_2d_nhwc_hwcf", windowAttributes(window), operands[0],
                    orderedFilter(body, form, operands[1]), result);
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
