#include "knobs/gpu/tile_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "knobs/gpu/matrix/matrix_instruction.h"
#include "knobs/gpu/pipeline_space.h"

namespace hone::knobs {
namespace {

// Variables of the constraints: number of subgroups along rows and along columns.
constexpr std::array<const char*, 2> kCounts = {"sg_m_cnt", "sg_n_cnt"};

/// Returns true if the constraints are for loops of these sizes.
bool matchLoops(const std::vector<model::Loop>& loops, const search::Constraints& constraints) {
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const auto loop = constraints.find(fmt::format("problem_dim_{}", i));
    if (!loop || constraints.variables()[*loop].fixed() != loops[i].size) {
      return false;
    }
  }
  return !constraints.find(fmt::format("problem_dim_{}", loops.size()));
}

/// Returns the distance of two grids in doublings.
double gridDistance(std::int64_t m, std::int64_t n, const GpuTile& tile) {
  const auto apart = [](std::int64_t a, std::int64_t b) {
    return std::abs(std::log2(static_cast<double>(a) / static_cast<double>(b)));
  };
  // A grid of another shape is nearer than one with another number of subgroups.
  return apart(m * n, tile.subgroupsM * tile.subgroupsN) +
         (apart(m, tile.subgroupsM) + apart(n, tile.subgroupsN)) / 4;
}

std::int64_t productAt(std::span<const std::int64_t> point,
                       const std::vector<std::size_t>& places) {
  std::int64_t product = 1;
  for (const std::size_t place : places) {
    product *= point[place];
  }
  return product;
}

std::int64_t countReductions(const GpuProduct& product) {
  std::int64_t count = 1;
  for (const auto* loops : {&product.roles.sums, &product.roles.windows}) {
    for (const std::size_t loop : *loops) {
      count *= product.root.loops[loop].size;
    }
  }
  return count;
}

std::optional<std::size_t> knobAt(const search::Space& space,
                                  const iree::PipelineConstraints& constraints,
                                  const std::string& place) {
  const auto places = knobsAt(space, {&constraints, 1}, place);
  return places.empty() ? std::nullopt : std::optional(places.front());
}

}  // namespace

Result<std::optional<TileSpace>> TileSpace::from(const iree::PipelineConstraints& constraints,
                                                 std::size_t number, const GpuProduct& product) {
  const auto parsed = search::Constraints::parse(constraints.smtLib);
  if (!parsed) {
    return within("parsing the compiler's constraints", parsed.error());
  }
  if (!matchLoops(product.root.loops, *parsed)) {
    return std::nullopt;
  }
  std::vector<std::string> counts;
  for (const char* count : kCounts) {
    const bool isKnob =
        std::ranges::find(constraints.knobs, count, &iree::Knob::name) != constraints.knobs.end();
    if (!isKnob && parsed->find(count)) {
      counts.emplace_back(count);
    }
  }
  TileSpace space(HONE_TRY(listPipeline(constraints, *parsed, counts)).space);
  space.pipeline_ = constraints.pipeline;
  space.number_ = number;
  space.knobs_ = constraints.knobs.size();
  if (!space.readPlaces(constraints, product)) {
    return std::nullopt;
  }
  return space;
}

bool TileSpace::readPlaces(const iree::PipelineConstraints& constraints,
                           const GpuProduct& product) {
  std::optional<std::size_t> reduction;
  for (std::size_t i = 0; i < constraints.knobs.size(); ++i) {
    const iree::Knob& knob = constraints.knobs[i];
    if (knob.place == "mma_kind") {
      instructions_ = knob.options;
    }
    if (knob.place.starts_with("reduction[")) {
      reduction = i;
    }
  }
  const auto at = [&](const char* place) { return knobAt(space_, constraints, place); };
  const auto instruction = at("mma_kind");
  const auto threads = at("workgroup_size[0]");
  const auto subgroupSize = at("subgroup_size");
  const auto rows = makeAxis(constraints, product.root, product.roles.rows, kCounts[0]);
  const auto columns = makeAxis(constraints, product.root, product.roles.columns, kCounts[1]);
  if (!reduction || !instruction || !threads || !subgroupSize || !rows || !columns) {
    return false;
  }
  const auto igemm = at("gpu_pipeline_options.use_igemm_convolution");
  igemm_ = igemm && space_.knobs()[*igemm].values == std::vector<std::int64_t>{1};
  // The compiler does not lower strided convolutions directly to matrix instructions, although the
  // constraints allow it.
  if (product.strided && !igemm_) {
    return false;
  }
  depth_ = igemm_ ? 0 : product.root.loops[product.roles.sums.back()].size;
  length_ = countReductions(product);
  stages_ = at("gpu_pipeline_options.prefetch_num_stages");
  axes_ = {*rows, *columns};
  reduction_ = *reduction;
  instruction_ = *instruction;
  threads_ = *threads;
  subgroupSize_ = *subgroupSize;
  return true;
}

std::optional<TileSpace::Axis> TileSpace::makeAxis(const iree::PipelineConstraints& constraints,
                                                   const model::RootOperation& root,
                                                   const std::vector<std::size_t>& loops,
                                                   const std::string& count) const {
  Axis axis;
  for (const std::size_t loop : loops) {
    if (const auto tile = knobAt(space_, constraints, fmt::format("workgroup[{}]", loop))) {
      axis.workgroup.push_back(*tile);
      axis.sizes.push_back(root.loops[loop].size);
    }
    if (const auto tile = knobAt(space_, constraints, fmt::format("subgroup[{}]", loop))) {
      axis.subgroup.push_back(*tile);
    }
  }
  const auto counts = std::ranges::find(space_.knobs(), count, &search::Knob::name);
  if (axis.workgroup.empty() || counts == space_.knobs().end()) {
    return std::nullopt;
  }
  axis.count = static_cast<std::size_t>(counts - space_.knobs().begin());
  return axis;
}

bool TileSpace::fits(std::span<const std::int64_t> point, const Axis& axis,
                     const Extent& extent) const {
  const std::int64_t unit = extent.instruction * point[axis.count];
  if (productAt(point, axis.workgroup) != extent.tile || extent.tile % unit != 0) {
    return false;
  }
  // The constraints also allow tiles that divide only the padded loop sizes. The knobs do not
  // include that padding, so the compiler fails on such tiles.
  for (std::size_t i = 0; i < axis.workgroup.size(); ++i) {
    if (axis.sizes[i] % point[axis.workgroup[i]] != 0) {
      return false;
    }
  }
  return axis.subgroup.empty() || productAt(point, axis.subgroup) == extent.tile / unit;
}

/// Returns true if the thread count equals that of the subgroups.
bool TileSpace::threadsMatchSubgroups(std::span<const std::int64_t> point) const {
  return point[threads_] == point[axes_[0].count] * point[axes_[1].count] * point[subgroupSize_];
}

/// Ranks points with equally near grids: small grids first, then large tiles of inner loops, which
/// are contiguous in memory.
std::vector<std::int64_t> TileSpace::rank(std::span<const std::int64_t> point) const {
  std::vector<std::int64_t> rank = {point[axes_[0].count], point[axes_[1].count]};
  for (const Axis& axis : axes_) {
    for (const auto* places : {&axis.workgroup, &axis.subgroup}) {
      std::for_each(places->rbegin(), places->rend(),
                    [&](std::size_t place) { rank.push_back(-point[place]); });
    }
  }
  return rank;
}

TileSpace::Match TileSpace::matchAt(std::size_t point, double distance) const {
  Match match;
  match.assignment.constraints = number_;
  match.distance = distance;
  const auto values = space_.point(point);
  for (std::size_t i = 0; i < knobs_; ++i) {
    match.assignment.values[space_.knobs()[i].name] = values[i];
  }
  match.stages = stages_ ? values[*stages_] : 0;
  return match;
}

std::optional<TileSpace::Match> TileSpace::nearest(const GpuTile& tile,
                                                   std::size_t instruction) const {
  const auto shape = matrixInstructionFrom(instructions_[instruction]);
  if (!shape || tile.k % shape->k != 0 || depth_ % tile.k != 0) {
    return std::nullopt;
  }
  // TileAndFuse counts the depth in instructions, the other pipelines in elements.
  const std::int64_t reduction = pipeline_ == "TileAndFuse" ? tile.k / shape->k : tile.k;
  using Order = std::tuple<double, std::vector<std::int64_t>, std::size_t>;
  std::optional<Order> best;
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const auto point = space_.point(i);
    if (!std::cmp_equal(point[instruction_], instruction) || point[reduction_] != reduction ||
        !fits(point, axes_[0], {tile.m, shape->m}) || !fits(point, axes_[1], {tile.n, shape->n}) ||
        !threadsMatchSubgroups(point)) {
      continue;
    }
    const double distance = gridDistance(point[axes_[0].count], point[axes_[1].count], tile);
    Order order(distance, rank(point), i);
    if (!best || order < *best) {
      best = std::move(order);
    }
  }
  if (!best) {
    return std::nullopt;
  }
  Match match = matchAt(std::get<2>(*best), std::get<0>(*best));
  match.steps = length_ / tile.k;
  return match;
}

}  // namespace hone::knobs
