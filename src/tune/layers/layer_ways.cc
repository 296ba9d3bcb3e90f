#include "tune/layers/layer_ways.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"
#include "tune/layers/layer_panels.h"

namespace hone::tune {
namespace {

using iree::Body;
using iree::Loops;
using iree::Value;
using model::ElementType;
using model::Layer;
using model::TensorType;

/// Filters with more positions than this are not computed position by position.
constexpr std::int64_t kMaxPositions = 49;
/// The compiler takes minutes for dispatches with more products than this.
constexpr std::int64_t kMaxPositionsAtOnce = 9;

/// Register tiles that are tried per method.
constexpr std::size_t kTilesPerMethod = 2;
/// Weights from which products with a single vector are computed in tiles.
constexpr std::int64_t kMinVectorProductWeights = 1 << 16;

constexpr std::array<std::pair<Method, std::string_view>, 6> kMethodNames = {{
    {Method::direct, "direct"},
    {Method::matmul, "matmul"},
    {Method::packedMatmul, "packed matmul"},
    {Method::perRow, "per row"},
    {Method::perPosition, "per position"},
    {Method::atOnce, "at once"},
}};

enum class LayerKind : std::uint8_t { convolution, grouped, depthwise, pooling, concat, slice };

/// Dimension order of an operation.
struct LayerForm {
  std::string_view op;
  LayerKind kind;
  bool channelsFirst;
  std::size_t spatial;                ///< dimensions of an image without batch and channels
  std::array<std::size_t, 5> filter;  ///< the filter's dimensions: (groups,) y, x, c, f
};

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

const LayerForm* findForm(const Layer& layer) {
  const auto* form = std::find_if(kForms.begin(), kForms.end(),
                                  [&](const LayerForm& one) { return one.op == layer.op; });
  return form == kForms.end() ? nullptr : form;
}

/// Returns the position at which a dimension of one spatial size is inserted into the filter.
std::size_t filterRowDim(const LayerForm& form) {
  return form.kind == LayerKind::pooling ? 0 : form.filter[form.kind == LayerKind::grouped ? 1 : 0];
}

TensorType withUnit(TensorType type, std::size_t dim) {
  type.shape.insert(type.shape.begin() + static_cast<std::ptrdiff_t>(dim), 1);
  return type;
}

/// Returns the image with batch, channels and two spatial dimensions: one-dimensional images get a
/// row of height 1, and the groups are part of the channels.
TensorType asPlane(const LayerForm& form, TensorType image) {
  if (form.kind == LayerKind::grouped) {
    image.shape[2] *= image.shape[1];
    image.shape.erase(image.shape.begin() + 1);
  }
  return form.spatial == 2 ? image : withUnit(image, form.channelsFirst ? 2 : 1);
}

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

/// Moves the channels of a type from behind the batch to the end.
TensorType channelsLast(const LayerForm& form, TensorType type) {
  if (form.channelsFirst) {
    std::rotate(type.shape.begin() + 1, type.shape.begin() + 2, type.shape.end());
  }
  return type;
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

/// The sizes of a window: of a filter or a pooling.
struct Window {
  std::array<std::int64_t, 2> size{1, 1};
  std::array<std::int64_t, 2> stride{1, 1};
  std::array<std::int64_t, 2> dilation{1, 1};

  [[nodiscard]] std::int64_t positions() const { return size[0] * size[1]; }
  /// Returns true if each window is one pixel and every pixel is used.
  [[nodiscard]] bool isPixel() const {
    return positions() == 1 && stride == std::array<std::int64_t, 2>{1, 1};
  }
};

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

/// Returns the dimension of the right operand that is summed up; nothing if the operation is not a
/// plain matmul or a batch of one.
std::optional<std::size_t> summedDim(const Layer& layer) {
  const bool batched = layer.op == "linalg.batch_matmul";
  if (!(batched && layer.result.shape.front() == 1) && layer.op != "linalg.matmul") {
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

/// Adds the method with the best tiles. Products of a vector with few weights take less time than
/// removing the padding of a tile.
void addTilesFor(Method method, const TiledMatmul& matmul, std::vector<Way>& ways) {
  const bool pays = matmul.rows > 1 || (method == Method::matmul &&
                                        matmul.sum * matmul.columns >= kMinVectorProductWeights);
  if (!pays || matmul.sum <= 1) {
    return;
  }
  for (const RegisterTile& tile :
       registerTiles(matmul, knobs::detectCpuLimits(), kTilesPerMethod)) {
    ways.push_back({method, tile});
  }
}

void addMatmulTiles(const Layer& layer, std::vector<Way>& ways) {
  if (summedDim(layer)) {
    addTilesFor(Method::matmul,
                {.rows = layer.result.shape[layer.result.shape.size() - 2],
                 .columns = layer.result.shape.back(),
                 .sum = layer.operands[0].shape.back()},
                ways);
  }
}

Value writeMatmulInPanels(Body& body, const Layer& layer, const RegisterTile& tile,
                          const std::array<Value, 2>& operands) {
  const bool batched = layer.op == "linalg.batch_matmul";
  const Value weights = batched ? body.collapse(operands[1], 0) : operands[1];
  const bool sumsRows = *summedDim(layer) == (batched ? 1 : 0);
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

/// Adds the methods that use register tiles, with the best tiles.
void addTiles(const Layer& layer, const LayerForm& form, std::vector<Way>& ways) {
  const Window window = findWindow(layer, form);
  const TensorType result = describeCore(layer).result;
  const bool grouped = form.kind == LayerKind::grouped;
  const std::int64_t groups = grouped ? layer.result.shape[1] : 1;
  const std::int64_t channels = describeCore(layer).images.front().shape.back() / groups;
  const auto add = [&](Method method, std::int64_t rows, std::int64_t sum) {
    addTilesFor(method, {.rows = rows, .columns = result.shape.back() / groups, .sum = sum}, ways);
  };
  if (!grouped || window.isPixel()) {
    add(Method::matmul, result.count() / result.shape.back(), window.positions() * channels);
  }
  if (window.isPixel() || window.positions() > kMaxPositions) {
    return;
  }
  // A row of one pixel leaves the loop over the rows as the last one.
  const std::int64_t row = result.shape[2] > 1 ? result.shape[2] : result.shape[1];
  if (!grouped && window.size[0] > 1 && window.size[1] > 1) {
    add(Method::perRow, row, window.size[1] * channels);
  }
  add(Method::perPosition, row, channels);
  if (window.positions() <= kMaxPositionsAtOnce) {
    add(Method::atOnce, row, channels);
  }
}

bool isSupported(const Layer& layer, const LayerForm& form) {
  if (form.kind == LayerKind::slice) {
    return layer.operands.size() == 1 && layer.operands[0].shape.size() == 4 &&
           layer.result.shape.size() == 4;
  }
  if (form.kind == LayerKind::concat) {
    const auto dim = layer.attributes.find("dim");
    return dim != layer.attributes.end() && dim->second.starts_with("1 ") &&
           layer.result.shape.size() == 4 && layer.operands.size() > 1;
  }
  const bool numbers = std::none_of(
      layer.operands.begin(), layer.operands.end(),
      [](const TensorType& type) { return type.element == ElementType::i1 || type.count() == 0; });
  return numbers && layer.operands.size() == 3;
}

}  // namespace

std::string nameOf(const Way& way) {
  const std::string_view method =
      std::ranges::find(kMethodNames, way.method, &std::pair<Method, std::string_view>::first)
          ->second;
  return way.tile ? fmt::format("{}, {}x{}", method, way.tile->rows, way.tile->columns)
                  : std::string(method);
}

std::optional<Way> wayFrom(std::string_view name) {
  const auto comma = name.find(", ");
  const auto* found = std::ranges::find(kMethodNames, name.substr(0, comma),
                                        &std::pair<Method, std::string_view>::second);
  if (found == kMethodNames.end()) {
    return std::nullopt;
  }
  Way way{found->first};
  if (comma == std::string_view::npos) {
    return way;
  }
  const std::vector<std::string> sizes = splitAt(name.substr(comma + 2), 'x');
  const auto rows = sizes.size() == 2 ? parseInt(sizes[0]) : std::nullopt;
  const auto columns = sizes.size() == 2 ? parseInt(sizes[1]) : std::nullopt;
  if (!rows || !columns) {
    return std::nullopt;
  }
  way.tile = {*rows, *columns};
  return way;
}

bool isConvolution(const Layer& layer) {
  const LayerForm* form = findForm(layer);
  return form != nullptr &&
         (form->kind == LayerKind::convolution || form->kind == LayerKind::grouped);
}

bool isMatmul(const Layer& layer) { return layer.op.contains("matmul"); }

std::vector<Way> waysFor(const Layer& layer) {
  if (isMatmul(layer)) {
    std::vector<Way> ways = {Way::matmul, Way::packedMatmul};
    addMatmulTiles(layer, ways);
    return ways;
  }
  const LayerForm* form = findForm(layer);
  if (form == nullptr || !isSupported(layer, *form)) {
    return {};
  }
  const Window window = findWindow(layer, *form);
  const bool positions = window.positions() <= kMaxPositions && !window.isPixel();
  switch (form->kind) {
    case LayerKind::convolution: {
      std::vector<Way> ways = {Way::direct, Way::matmul, Way::packedMatmul};
      if (window.size[0] > 1 && window.size[1] > 1) {
        ways.push_back(Way::perRow);
      }
      if (positions) {
        ways.push_back(Way::perPosition);
      }
      addTiles(layer, *form, ways);
      return ways;
    }
    case LayerKind::grouped: {
      std::vector<Way> ways;
      if (window.positions() <= kMaxPositions) {
        ways.push_back(Way::perPosition);
        addTiles(layer, *form, ways);
      }
      return ways;
    }
    default:
      return {Way::direct};
  }
}

double countWork(const Layer& layer) {
  double work = static_cast<double>(layer.calls) * static_cast<double>(layer.result.count());
  if (isMatmul(layer)) {
    return work * static_cast<double>(layer.operands[0].shape.back());
  }
  const LayerForm* form = findForm(layer);
  if (form == nullptr || form->kind == LayerKind::concat || form->kind == LayerKind::slice) {
    return work;
  }
  work *= static_cast<double>(findWindow(layer, *form).positions());
  if (isConvolution(layer)) {
    TensorType filter = layer.operands[1];
    if (form->spatial == 1) {
      filter = withUnit(filter, filterRowDim(*form));
    }
    work *= static_cast<double>(filter.shape[form->filter[filter.shape.size() - 2]]);
  }
  return work;
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
