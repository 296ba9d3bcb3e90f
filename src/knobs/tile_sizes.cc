#include "knobs/tile_sizes.h"

#include <algorithm>
#include <set>

#include "model/problem/element_type.h"

namespace hone::knobs {

std::vector<std::int64_t> divisorsOf(std::int64_t number) {
  std::vector<std::int64_t> low;
  std::vector<std::int64_t> high;
  for (std::int64_t i = 1; i * i <= number; ++i) {
    if (number % i == 0) {
      low.push_back(i);
      if (i * i != number) {
        high.push_back(number / i);
      }
    }
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

std::vector<std::int64_t> multiplesOf(std::int64_t tile, std::int64_t size, std::int64_t largest,
                                      std::size_t most) {
  const std::int64_t count = ceilDiv(size, tile);
  std::set<std::int64_t> all;
  for (std::int64_t times = 1; times < count && times * tile <= largest; times *= 2) {
    all.insert(times * tile);
  }
  for (const std::int64_t times : divisorsOf(count)) {
    if (times * tile <= largest) {
      all.insert(times * tile);
    }
  }
  std::vector<std::int64_t> tiles(all.begin(), all.end());
  if (tiles.empty()) {
    return {tile};
  }
  // Evenly spaced elements of the sorted list; the first and the last are kept.
  std::vector<std::int64_t> thinned;
  for (std::size_t i = 0; i < most && most < tiles.size(); ++i) {
    thinned.push_back(tiles[i * (tiles.size() - 1) / (most - 1)]);
  }
  return thinned.empty() ? tiles : thinned;
}

std::int64_t ceilDiv(std::int64_t number, std::int64_t by) { return (number + by - 1) / by; }

std::int64_t elementBytes(const std::string& element) {
  const auto type = model::elementTypeFrom(element);
  return type ? static_cast<std::int64_t>(model::byteWidth(*type)) : 4;
}

double footprintBytes(const model::RootOperand& operand, const std::vector<std::int64_t>& tile) {
  auto bytes = static_cast<double>(elementBytes(operand.element));
  for (std::size_t dimension = 0; dimension < operand.shape.size(); ++dimension) {
    const bool walked = dimension < operand.loops.size() && !operand.loops[dimension].empty();
    std::int64_t extent = walked ? 1 : operand.shape[dimension];
    for (const std::size_t loop : walked ? operand.loops[dimension] : std::vector<std::size_t>()) {
      extent += tile[loop] - 1;
    }
    bytes *= static_cast<double>(extent);
  }
  return bytes;
}

}  // namespace hone::knobs
