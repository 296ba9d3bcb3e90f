#include "tune/layers/layer_panels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "knobs/cpu/cpu_limits.h"

namespace hone::tune {
namespace {

using iree::Body;
using iree::Loops;
using iree::Value;
using model::ElementType;
using model::TensorType;

/// Removes dimensions of size one in front of the last dimension.
Value withoutUnitDims(Body& body, Value value) {
  for (std::size_t i = 0; i + 1 < value.type.shape.size();) {
    if (value.type.shape[i] == 1) {
      value = body.collapse(value, i);
    } else {
      ++i;
    }
  }
  return value;
}

ElementType sumElement(ElementType element) {
  return isFloat(element) && byteWidth(element) < byteWidth(ElementType::f32) ? ElementType::f32
                                                                              : element;
}

Value convertElements(Body& body, const Value& value, ElementType element) {
  if (value.type.element == element) {
    return value;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < value.type.shape.size(); ++i) {
    names.push_back(fmt::format("d{}", i));
  }
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  const Loops loops{
      .names = all, .maps = {all, all}, .parallel = value.type.shape.size(), .reduction = 0};
  return body.generic(loops, {value}, body.empty({value.type.shape, element}), "",
                      [&](const std::vector<std::string>& arguments) {
                        return body.converted(arguments[0], value.type.element, element);
                      });
}

}  // namespace

Value toPanels(Body& body, const Value& filter, const PanelOrder& order, std::int64_t columns) {
  const std::int64_t filters = filter.type.shape[order.filters];
  const std::int64_t panels = (filters + columns - 1) / columns;
  const std::vector<std::int64_t> low(filter.type.shape.size(), 0);
  std::vector<std::int64_t> high = low;
  high[order.filters] = panels * columns - filters;
  const Value whole = high == low ? filter : body.pad(filter, low, high);
  const Value split = body.expand(whole, order.filters, panels);
  const Value ordered = body.transpose(split, order.order);
  return body.define(ordered.type, "iree_tensor_ext.compute_barrier.start {} : {} -> {}",
                     ordered.name, ordered.text(), ordered.text());
}

Value panelSum(Body& body, const TensorType& result, std::int64_t columns) {
  TensorType type{{}, sumElement(result.element)};
  for (std::size_t i = 0; i + 1 < result.shape.size(); ++i) {
    if (result.shape[i] > 1) {
      type.shape.push_back(result.shape[i]);
    }
  }
  if (result.shape.back() > columns) {
    type.shape.push_back((result.shape.back() + columns - 1) / columns);
  }
  type.shape.push_back(columns);
  return body.zeros(type);
}

Value addPanelProduct(Body& body, const PanelProduct& product, const Value& sum) {
  const Value image = withoutUnitDims(body, product.image);
  const Value panels = withoutUnitDims(body, product.panels);
  const std::size_t rows = image.type.shape.size() - 1;
  const bool several = sum.type.shape.size() == rows + 2;
  std::vector<std::string> names;
  const std::size_t pixelDims = rows - (product.grouped ? 1 : 0);
  for (std::size_t i = 0; i < pixelDims; ++i) {
    names.push_back(fmt::format("r{}, ", i));
  }
  const std::string row = fmt::format("{}", fmt::join(names, ""));
  const std::string group = product.grouped ? "g, " : "";
  const std::string panel = group + (several ? "p, " : "");
  const auto pixelsEnd = image.type.shape.begin() + static_cast<std::ptrdiff_t>(pixelDims);
  PanelLoops extents{.rows = {image.type.shape.begin(), pixelsEnd},
                     .groups = product.grouped ? panels.type.shape.front() : 1,
                     .panels = several ? panels.type.shape[product.grouped ? 1 : 0] : 1,
                     .columns = sum.type.shape.back(),
                     .sum = image.type.shape.back(),
                     .rowBytes = 0};
  extents.rowBytes = extents.sum * static_cast<std::int64_t>(byteWidth(image.type.element));
  const PanelConfig config = panelConfig(extents, product.tile, knobs::detectCpuLimits());
  const Loops loops{.names = fmt::format("{}{}o, c", row, panel),
                    .maps = {row + group + "c", panel + "c, o", fmt::format("{}{}o", row, panel)},
                    .parallel = sum.type.shape.size(),
                    .reduction = 1,
                    .attributes = product.isRoot
                                      ? fmt::format("compilation_info = {}", config.compilationInfo)
                                      : fmt::format("lowering_config = {}", config.loweringConfig)};
  return body.accumulate(loops, image, panels, sum);
}

Value fromPanelSum(Body& body, const Value& sum, const TensorType& result) {
  Value value = convertElements(body, sum, result.element);
  const auto pixelDims = static_cast<std::size_t>(std::count_if(
      result.shape.begin(), result.shape.end() - 1, [](auto size) { return size > 1; }));
  if (value.type.shape.size() > pixelDims + 1) {
    value = body.collapse(value, value.type.shape.size() - 2);
  }
  if (value.type.shape.back() != result.shape.back()) {
    std::vector<std::int64_t> sizes = value.type.shape;
    sizes.back() = result.shape.back();
    // Without the barrier the compiler removes the padding again, and vectors do not fit.
    value = body.define(value.type, "iree_tensor_ext.compute_barrier.start {} : {} -> {}",
                        value.name, value.text(), value.text());
    value = body.slice(value, std::vector<std::int64_t>(sizes.size(), 0), sizes);
  }
  for (std::size_t i = 0; i + 1 < result.shape.size(); ++i) {
    if (result.shape[i] == 1) {
      value = body.expand(value, i, 1);
    }
  }
  return value;
}

}  // namespace hone::tune
