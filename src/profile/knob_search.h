#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/constraints.h"
#include "search/constraints/smt.h"

namespace hone::profile {

/// A tile of a matrix product with the grid of subgroups (warps, waves) that works on it.
struct WantedTile {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t subgroupsM = 1, subgroupsN = 1;
};

/// The loops of an operation that is a matrix product in some form.
struct ProductLoops {
  std::vector<std::int64_t> sizes;
  std::vector<std::size_t> m, n;  ///< those over rows and over columns
  std::size_t k = 0;              ///< the innermost one that is summed over
  bool strided = false;           ///< a convolution whose windows skip elements
};

/// The knobs of one pipeline for a matrix product, by what they do.
class KnobSpace {
 public:
  struct Found {
    iree::KnobAssignment assignment;
    double distance = 0;      ///< of the grid of subgroups from the wanted one
    std::int64_t stages = 0;  ///< of loads that are under way at a time
  };

  /// Nothing where the constraints are not for such loops: the compiler may have made another
  /// operation of it. `number` is the constraints' place in their list.
  [[nodiscard]] static Result<std::optional<KnobSpace>> from(
      const iree::PipelineConstraints& constraints, std::size_t number, const ProductLoops& loops);

  [[nodiscard]] const std::string& pipeline() const { return pipeline_; }
  [[nodiscard]] const std::vector<std::string>& mmaKinds() const { return mmaKinds_; }
  /// Whether a convolution is done as one matrix product of its unrolled windows.
  [[nodiscard]] bool isIgemm() const;

  /// The assignment with just this tile and matrix instruction that satisfies the constraints and
  /// has the grid of subgroups nearest to the wanted one.
  [[nodiscard]] std::optional<Found> nearest(const WantedTile& tile, std::size_t mma) const;

 private:
  /// Along rows or columns: variables of the workgroup's and the subgroup's tile for each loop, and
  /// that of the number of subgroups.
  struct Axis {
    std::vector<std::size_t> workgroup;
    std::vector<std::int64_t> sizes;  ///< of the loops that the workgroup's tiles are of
    std::vector<std::size_t> subgroup;
    std::optional<std::size_t> count;
  };
  /// The size along each axis of a tile or an instruction, and its number of subgroups.
  struct AxisSizes {
    std::int64_t tile = 0, mma = 0, subgroups = 0;
  };

  explicit KnobSpace(search::Constraints smt) : smt_(std::move(smt)) {}
  [[nodiscard]] std::optional<std::size_t> variableAt(const iree::PipelineConstraints& constraints,
                                                      const std::string& place) const;
  [[nodiscard]] bool readAxis(const iree::PipelineConstraints& constraints,
                              const std::vector<std::int64_t>& sizes,
                              const std::vector<std::size_t>& loops, Axis& axis) const;
  [[nodiscard]] bool fillAxes(search::Evaluation& evaluation, const std::array<AxisSizes, 2>& sizes,
                              std::size_t axis) const;
  [[nodiscard]] std::optional<Found> foundAt(const search::Evaluation& evaluation) const;

  search::Constraints smt_;
  std::string pipeline_;
  std::size_t number_ = 0;
  std::vector<std::string> knobs_;
  std::vector<std::string> mmaKinds_;
  std::array<Axis, 2> axes_;
  std::int64_t depth_ = 0;  ///< what the tile's depth must divide; 0: the constraints say it
  std::size_t mma_ = 0, reduction_ = 0, threads_ = 0, subgroupSize_ = 0;
  std::optional<std::size_t> stages_, igemm_;
};

}  // namespace hone::profile
