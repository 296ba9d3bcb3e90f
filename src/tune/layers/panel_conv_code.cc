#include "tune/layers/panel_conv_code.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "tune/layers/layer_panels.h"
#include "tune/layers/window_code.h"

namespace hone::tune {
namespace {

using iree::Body;
using iree::Value;
using model::TensorType;

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

}  // namespace

Value writeInPanels(Body& body, PanelConvolution convolution, const Way& way) {
  auto& [form, window, operands, result] = convolution;
  if (form.kind != LayerKind::grouped) {
    return writeGroupsInPanels(body, form, window, way, operands, result);
  }
  const std::int64_t groups = operands[1].type.shape[form.filter[0]];
  operands[0] = body.expand(operands[0], 3, groups);
  result.shape.back() /= groups;
  result.shape.insert(result.shape.end() - 1, groups);
  return body.collapse(writeGroupsInPanels(body, form, window, way, operands, result), 3);
}

}  // namespace hone::tune
