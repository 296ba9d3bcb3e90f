#include "tune/layers/layer_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"
#include "tune/layers/layer_form.h"

namespace hone::tune {
namespace {

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

}  // namespace hone::tune
