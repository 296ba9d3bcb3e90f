#include "tune/layers/window_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace hone::tune {
namespace {

using iree::Body;
using iree::Loops;
using iree::Value;
using model::TensorType;

/// Returns a copy of the windows, with the given loops for the two dimensions of the window.
Value copyWindows(Body& body, const Loops& loops, const Value& image, TensorType type) {
  type.element = image.type.element;
  return body.generic(loops, {image}, body.empty(type), "",
                      [](const std::vector<std::string>& arguments) { return arguments[0]; });
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

}  // namespace

std::string windowAttributes(const Window& window) {
  return fmt::format(
      "dilations = dense<[{}]> : tensor<2xi64>, strides = dense<[{}]> : tensor<2xi64>",
      fmt::join(window.dilation, ", "), fmt::join(window.stride, ", "));
}

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

Window mergeColumns(Window window) {
  window.size[1] = window.stride[1] = window.dilation[1] = 1;
  return window;
}

Value windowRows(Body& body, const Window& window, Value image, const TensorType& result) {
  if (!window.isPixel()) {
    image = collapseTimes(body, copyAllWindows(body, window, image, result), 3, 2);
  }
  return collapseTimes(body, image, 0, 2);
}

Value fromRows(Body& body, const Value& rows, const TensorType& result) {
  return body.expand(body.expand(rows, 0, result.shape[0]), 1, result.shape[1]);
}

}  // namespace hone::tune
