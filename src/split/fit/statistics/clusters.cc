#include "split/fit/statistics/clusters.h"

#include <algorithm>
#include <map>
#include <utility>

#include "split/fit/simulate.h"

namespace hone::split {
namespace {

/// Returns the range with a median that is an existing size: the upper one of two.
SizeRange computeRange(std::vector<std::int64_t> sizes) {
  std::sort(sizes.begin(), sizes.end());
  return {sizes.front(), sizes[sizes.size() / 2], sizes.back()};
}

ShapeCluster makeCluster(const std::vector<const ShapeResult*>& shapes) {
  ShapeCluster cluster;
  std::vector<std::int64_t> outputs;
  std::vector<std::int64_t> reductions;
  double speedups = 0;
  double overBaseline = 0;
  std::int64_t withBaseline = 0;
  for (const ShapeResult* shape : shapes) {
    if (shape->baseline) {
      overBaseline += shape->baseline->timeUs() / fastestLimit(*shape)->timeUs;
      ++withBaseline;
    }
    outputs.push_back(shape->reduction.outputSize());
    reductions.push_back(shape->reduction.reductionSize());
    speedups += slowestLimit(*shape)->timeUs / fastestLimit(*shape)->timeUs;
  }
  cluster.kind = shapes.front()->reduction.kind;
  cluster.limit = fastestLimit(*shapes.front())->limit;
  cluster.count = static_cast<std::int64_t>(shapes.size());
  cluster.outputSize = computeRange(std::move(outputs));
  cluster.reductionSize = computeRange(std::move(reductions));
  if (withBaseline > 0) {
    cluster.averageOverBaseline = overBaseline / static_cast<double>(withBaseline);
  }
  cluster.averageSpeedup = speedups / static_cast<double>(shapes.size());
  return cluster;
}

}  // namespace

std::vector<ShapeCluster> clusterByLimit(const SweepResult& sweep) {
  std::map<std::pair<model::ReductionKind, std::int64_t>, std::vector<const ShapeResult*>> members;
  for (const ShapeResult& shape : sweep.shapes) {
    if (const auto best = fastestLimit(shape); best && !shape.reduction.sizes.empty()) {
      members[{shape.reduction.kind, -best->limit}].push_back(&shape);
    }
  }
  std::vector<ShapeCluster> clusters;
  for (const auto& [key, shapes] : members) {
    clusters.push_back(makeCluster(shapes));
  }
  return clusters;
}

}  // namespace hone::split
