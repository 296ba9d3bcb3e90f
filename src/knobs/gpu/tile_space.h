#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/constraints.h"
#include "knobs/loop_roles.h"
#include "model/problem/root_operation.h"
#include "search/constraints/smt.h"
#include "search/space/space.h"

namespace hone::knobs {

/// A tile of a matrix product, and the grid of subgroups (warps, waves) that computes it.
struct GpuTile {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t subgroupsM = 1, subgroupsN = 1;
};

/// An operation that is a matrix product in some form.
struct GpuProduct {
  model::RootOperation root;
  LoopRoles roles;
  bool strided = false;  ///< a convolution with a stride or dilation above 1
};

/// Points that one pipeline allows for a matrix product, searchable by tile.
class TileSpace {
 public:
  struct Match {
    iree::KnobAssignment assignment;
    double distance = 0;      ///< of the subgroup grid from the requested one
    std::int64_t stages = 0;  ///< pipeline stages of loads
    std::int64_t steps = 0;   ///< iterations of the tiled reduction loops, which become one loop
  };

  /// Lists the points of the constraints. Returns nothing if they are for other loops, because the
  /// compiler may have rewritten the operation. `number` is the constraints' index in their list.
  [[nodiscard]] static Result<std::optional<TileSpace>> from(
      const iree::PipelineConstraints& constraints, std::size_t number, const GpuProduct& product);

  [[nodiscard]] const std::string& pipeline() const { return pipeline_; }
  [[nodiscard]] const std::vector<std::string>& instructions() const { return instructions_; }
  /// Returns true if a convolution is computed as one matrix product of its unrolled windows.
  [[nodiscard]] bool isIgemm() const { return igemm_; }

  /// Returns the point with exactly this tile and matrix instruction whose subgroup grid is nearest
  /// to the requested one.
  [[nodiscard]] std::optional<Match> nearest(const GpuTile& tile, std::size_t instruction) const;

 private:
  /// Positions in a point, along rows or columns: the workgroup's and the subgroup's tile per loop,
  /// and the number of subgroups.
  struct Axis {
    std::vector<std::size_t> workgroup;
    std::vector<std::int64_t> sizes;  ///< of the loops tiled by `workgroup`
    std::vector<std::size_t> subgroup;
    std::size_t count = 0;
  };
  /// Size of the requested tile and of the instruction along an axis.
  struct Extent {
    std::int64_t tile = 0, instruction = 0;
  };

  explicit TileSpace(search::Space space) : space_(std::move(space)) {}
  [[nodiscard]] bool readPlaces(const iree::PipelineConstraints& constraints,
                                const GpuProduct& product);
  [[nodiscard]] std::optional<Axis> makeAxis(const iree::PipelineConstraints& constraints,
                                             const model::RootOperation& root,
                                             const std::vector<std::size_t>& loops,
                                             const std::string& count) const;
  [[nodiscard]] bool fits(std::span<const std::int64_t> point, const Axis& axis,
                          const Extent& extent) const;
  [[nodiscard]] bool threadsMatchSubgroups(std::span<const std::int64_t> point) const;
  [[nodiscard]] std::vector<std::int64_t> rank(std::span<const std::int64_t> point) const;
  [[nodiscard]] Match matchAt(std::size_t point, double distance) const;

  search::Space space_;
  std::string pipeline_;
  std::size_t number_ = 0;
  std::size_t knobs_ = 0;  ///< the first dimensions are knobs, the others are variables
  std::vector<std::string> instructions_;
  std::array<Axis, 2> axes_;
  bool igemm_ = false;
  std::int64_t depth_ = 0;   ///< the tile's depth must divide it; 0: the constraints ensure that
  std::int64_t length_ = 0;  ///< iterations of all reduction loops
  std::size_t instruction_ = 0, reduction_ = 0, threads_ = 0, subgroupSize_ = 0;
  std::optional<std::size_t> stages_;
};

}  // namespace hone::knobs
