#include "profile/knob_search.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>

namespace hone::profile {
namespace {

using search::Evaluation;
using search::Truth;

/// How many subgroups along an axis are tried; tiles are powers of two.
constexpr std::array<std::int64_t, 4> kSubgroups = {1, 2, 4, 8};

/// Rows, columns and depth of a matrix instruction, from its name: "MFMA_F32_16x16x16_F16".
std::optional<std::array<std::int64_t, 3>> mmaShape(const std::string& mma) {
  static const RE2 kShape(R"(_(\d+)x(\d+)x(\d+))");
  std::array<std::int64_t, 3> shape{};
  return RE2::PartialMatch(mma, kShape, &shape[0], &shape[1], &shape[2]) ? std::optional(shape)
                                                                         : std::nullopt;
}

/// All ways to write the number as a product of so many factors, those with a large last factor
/// first: the innermost loop is the one that is contiguous in memory.
std::vector<std::vector<std::int64_t>> factorizations(std::int64_t number, std::size_t factors) {
  if (factors == 0) {
    return {{}};
  }
  if (factors == 1) {
    return {{number}};
  }
  std::vector<std::vector<std::int64_t>> all;
  for (std::int64_t last = number; last >= 1; --last) {
    if (number % last != 0) {
      continue;
    }
    for (std::vector<std::int64_t>& one : factorizations(number / last, factors - 1)) {
      one.push_back(last);
      all.push_back(std::move(one));
    }
  }
  return all;
}

/// The constraints also allow tiles that divide only what the loops are padded to, and such a
/// padding is not among the knobs: the compiler fails on them.
bool divides(const std::vector<std::int64_t>& tiles, const std::vector<std::int64_t>& sizes) {
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (sizes[i] % tiles[i] != 0) {
      return false;
    }
  }
  return true;
}

void assignAll(Evaluation& evaluation, const std::vector<std::size_t>& variables,
               const std::vector<std::int64_t>& values) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    evaluation.assign(variables[i], values[i]);
  }
}

void forget(Evaluation& evaluation, const std::vector<std::size_t>& variables) {
  for (const std::size_t variable : variables) {
    evaluation.assign(variable, std::nullopt);
  }
}

/// Whether the constraints are about loops of these sizes.
bool areOver(const std::vector<std::int64_t>& sizes, const search::Constraints& smt) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto loop = smt.find(fmt::format("problem_dim_{}", i));
    if (!loop || smt.variables()[*loop].fixed() != sizes[i]) {
      return false;
    }
  }
  return !smt.find(fmt::format("problem_dim_{}", sizes.size()));
}

/// How many doublings lie between two grids.
double distanceBetween(std::int64_t m, std::int64_t n, const WantedTile& tile) {
  const auto apart = [](std::int64_t a, std::int64_t b) {
    return std::abs(std::log2(static_cast<double>(a) / static_cast<double>(b)));
  };
  // The same number of subgroups in another grid is nearer than another number of them.
  return apart(m * n, tile.subgroupsM * tile.subgroupsN) +
         (apart(m, tile.subgroupsM) + apart(n, tile.subgroupsN)) / 4;
}

}  // namespace

std::optional<std::size_t> KnobSpace::variableAt(const iree::PipelineConstraints& constraints,
                                                 const std::string& place) const {
  for (const iree::Knob& knob : constraints.knobs) {
    if (knob.place == place) {
      return smt_.find(knob.name);
    }
  }
  return std::nullopt;
}

bool KnobSpace::readAxis(const iree::PipelineConstraints& constraints,
                         const std::vector<std::int64_t>& sizes,
                         const std::vector<std::size_t>& loops, Axis& axis) const {
  for (const std::size_t loop : loops) {
    if (const auto tile = variableAt(constraints, fmt::format("workgroup[{}]", loop))) {
      axis.workgroup.push_back(*tile);
      axis.sizes.push_back(sizes[loop]);
    }
    if (const auto tile = variableAt(constraints, fmt::format("subgroup[{}]", loop))) {
      axis.subgroup.push_back(*tile);
    }
  }
  return !axis.workgroup.empty() && axis.count.has_value();
}

Result<std::optional<KnobSpace>> KnobSpace::from(const iree::PipelineConstraints& constraints,
                                                 std::size_t number, const ProductLoops& loops) {
  auto smt = search::Constraints::parse(constraints.smtLib);
  if (!smt) {
    return within("reading the compiler's constraints", smt.error());
  }
  KnobSpace space(std::move(*smt));
  space.pipeline_ = constraints.pipeline;
  space.number_ = number;
  std::optional<std::size_t> reduction;
  for (const iree::Knob& knob : constraints.knobs) {
    space.knobs_.push_back(knob.name);
    if (knob.place == "mma_kind") {
      space.mmaKinds_ = knob.options;
    }
    if (knob.place.starts_with("reduction[")) {
      reduction = space.smt_.find(knob.name);
    }
  }
  const auto mma = space.variableAt(constraints, "mma_kind");
  const auto threads = space.variableAt(constraints, "workgroup_size[0]");
  const auto subgroupSize = space.variableAt(constraints, "subgroup_size");
  space.stages_ = space.variableAt(constraints, "gpu_pipeline_options.prefetch_num_stages");
  space.igemm_ = space.variableAt(constraints, "gpu_pipeline_options.use_igemm_convolution");
  space.axes_[0].count = space.smt_.find("sg_m_cnt");
  space.axes_[1].count = space.smt_.find("sg_n_cnt");
  if (!areOver(loops.sizes, space.smt_) || !reduction || !mma || !threads || !subgroupSize ||
      !space.smt_.variables()[*subgroupSize].fixed() ||
      !space.readAxis(constraints, loops.sizes, loops.m, space.axes_[0]) ||
      !space.readAxis(constraints, loops.sizes, loops.n, space.axes_[1])) {
    return std::nullopt;
  }
  // The compiler makes no direct convolution by matrix instructions where windows skip elements,
  // though the constraints allow it.
  if (loops.strided && !space.isIgemm()) {
    return std::nullopt;
  }
  space.depth_ = space.isIgemm() ? 0 : loops.sizes[loops.k];
  space.reduction_ = *reduction;
  space.mma_ = *mma;
  space.threads_ = *threads;
  space.subgroupSize_ = *subgroupSize;
  return space;
}

bool KnobSpace::isIgemm() const { return igemm_ && smt_.variables()[*igemm_].fixed() == 1; }

bool KnobSpace::fillAxes(Evaluation& evaluation, const std::array<AxisSizes, 2>& sizes,
                         std::size_t axis) const {
  if (axis == axes_.size()) {
    return evaluation.check() == Truth::yes;
  }
  const Axis& variables = axes_[axis];
  const auto [tile, mma, subgroups] = sizes[axis];
  for (const auto& workgroup : factorizations(tile, variables.workgroup.size())) {
    assignAll(evaluation, variables.workgroup, workgroup);
    if (!divides(workgroup, variables.sizes) || evaluation.check() == Truth::no) {
      continue;
    }
    for (const auto& subgroup :
         factorizations(tile / (mma * subgroups), variables.subgroup.size())) {
      assignAll(evaluation, variables.subgroup, subgroup);
      if (evaluation.check() != Truth::no && fillAxes(evaluation, sizes, axis + 1)) {
        return true;
      }
    }
    forget(evaluation, variables.subgroup);
  }
  forget(evaluation, variables.workgroup);
  return false;
}

std::optional<KnobSpace::Found> KnobSpace::foundAt(const Evaluation& evaluation) const {
  Found found;
  found.assignment.constraints = number_;
  for (const std::string& knob : knobs_) {
    const auto variable = smt_.find(knob);
    const auto value = variable ? evaluation.value(*variable) : std::nullopt;
    if (!value) {
      return std::nullopt;
    }
    found.assignment.values[knob] = *value;
  }
  found.stages = stages_ ? evaluation.value(*stages_).value_or(0) : 0;
  return found;
}

std::optional<KnobSpace::Found> KnobSpace::nearest(const WantedTile& tile, std::size_t mma) const {
  const auto shape = mmaShape(mmaKinds_[mma]);
  if (!shape || tile.k % (*shape)[2] != 0 || depth_ % tile.k != 0) {
    return std::nullopt;
  }
  Evaluation evaluation(smt_);
  for (std::size_t i = 0; i < smt_.variables().size(); ++i) {
    evaluation.assign(i, smt_.variables()[i].fixed());
  }
  evaluation.assign(mma_, static_cast<std::int64_t>(mma));
  // TileAndFuse counts the depth in instructions, the other pipelines in elements.
  evaluation.assign(reduction_, pipeline_ == "TileAndFuse" ? tile.k / (*shape)[2] : tile.k);
  std::optional<Found> best;
  for (const std::int64_t m : kSubgroups) {
    for (const std::int64_t n : kSubgroups) {
      const double distance = distanceBetween(m, n, tile);
      const std::array<AxisSizes, 2> sizes = {AxisSizes{tile.m, (*shape)[0], m},
                                              AxisSizes{tile.n, (*shape)[1], n}};
      const bool fits = std::all_of(sizes.begin(), sizes.end(), [](const AxisSizes& one) {
        return one.tile % (one.mma * one.subgroups) == 0;
      });
      if (!fits || (best && best->distance <= distance)) {
        continue;
      }
      evaluation.assign(*axes_[0].count, m);
      evaluation.assign(*axes_[1].count, n);
      evaluation.assign(threads_, m * n * *evaluation.value(subgroupSize_));
      if (!fillAxes(evaluation, sizes, 0)) {
        continue;
      }
      if (auto found = foundAt(evaluation)) {
        best = std::move(found);
        best->distance = distance;
      }
      for (const Axis& axis : axes_) {
        forget(evaluation, axis.workgroup);
        forget(evaluation, axis.subgroup);
      }
    }
  }
  return best;
}

}  // namespace hone::profile
