#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "split/sweep/sweep_result.h"

namespace hone::split {

/// A row of the performance summary: the compiler's default, no split, or a limit.
struct SummaryRow {
  enum class Kind : std::uint8_t { baseline, noSplit, limit };
  Kind kind = Kind::limit;
  std::int64_t limit = 0;  ///< for Kind::limit

  bool operator==(const SummaryRow&) const = default;
};

/// Statistics of a limit, or of a reference, over the compared shapes.
struct LimitStatistics {
  std::int64_t limit = 0;  ///< 0 for the baseline and for no split
  double geomeanUs = 0, meanUs = 0, medianUs = 0, p95Us = 0, totalUs = 0;
};

/// A row measured on too few shapes to be compared with the others.
struct SparseRow {
  SummaryRow row;
  std::int64_t shapes = 0;  ///< shapes with a time; 0 if it was never measured
};

struct LimitRanking {
  std::vector<LimitStatistics> limits;  ///< by ascending geometric mean
  /// References over the same shapes; nullopt if they are in `sparse`.
  std::optional<LimitStatistics> baseline, noSplit;
  /// Number of compared shapes: those with a time in each of these rows, so that totals are
  /// comparable.
  std::int64_t shapes = 0;
  std::vector<SparseRow> sparse;     ///< rows without statistics
  std::vector<std::int64_t> failed;  ///< limits without any time; also in `sparse`
};

/// Ranks the limits over the shapes measured in every row. Rows measured on few shapes are left
/// out, the one with the fewest first, until at least half of the shapes are compared.
[[nodiscard]] LimitRanking rankLimits(const SweepResult& sweep);

}  // namespace hone::split
