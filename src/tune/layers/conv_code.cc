#include "tune/layers/conv_code.h"

#include <cstdint>
#include <vector>

#include "tune/layers/layer_form.h"
#include "tune/layers/panel_conv_code.h"
#include "tune/layers/window_code.h"

namespace hone::tune {
namespace {

using iree::Body;
using iree::Loops;
using iree::Value;
using model::Layer;
using model::TensorType;

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

}  // namespace

Value writeConvolution(Body& body, const Layer& layer, const Way& way,
                       const std::array<Value, 2>& operands, const TensorType& result) {
  const LayerForm& form = *findForm(layer);
  const Window window = findWindow(layer, form);
  if (way.tile) {
    return writeInPanels(body, {form, window, operands, result}, way);
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

}  // namespace hone::tune
