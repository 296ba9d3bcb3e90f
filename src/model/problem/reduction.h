#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::model {

/// Which of the two functions of the compiler's pass SetSplitReductionSizes decides about an
/// operation: what it computes a convolution's output from, or a matmul's.
enum class ReductionKind : std::uint8_t { convolution, matmul };

/// "convolution", "matmul".
[[nodiscard]] std::string_view nameOf(ReductionKind kind);

/// An operation that sums, in the numbers by which that pass judges it and in the pass's own words.
/// Its kind is the compiler's, not the user's: a weight-backward convolution with a 1x1 filter is a
/// matmul by the time the pass sees it.
struct Reduction {
  ReductionKind kind = ReductionKind::matmul;
  std::vector<std::int64_t> sizes;  ///< of the loops that are summed over, outermost first
  /// Of a convolution whose batch is the outermost loop of its output: split from the innermost
  /// loop of the sum on, where all others are split from the outermost on.
  bool batchFirst = false;
  std::int64_t batchSize = 1;
  std::int64_t outputChannelSize = 1, imageSize = 1, depthSize = 1;  ///< of a convolution
  /// Of a matmul; and of a convolution what the compiler takes for them, should it come to judge it
  /// as a matmul.
  std::int64_t mSize = 1, nSize = 1;
  /// The loops of the sum that index both operands alike; 0: all of them, or, of a convolution,
  /// none.
  std::int64_t kSize = 0;

  [[nodiscard]] std::int64_t outputSize() const;
  /// As the pass counts it: of a matmul k.
  [[nodiscard]] std::int64_t reductionSize() const;
  /// The loop that is split first.
  [[nodiscard]] std::int64_t startSize() const;
  bool operator==(const Reduction&) const = default;
};

/// A convolution as the matmul that the pass tries it as where it leaves the convolution alone;
/// nothing where it cannot be one. Its kSize is then not the whole sum.
[[nodiscard]] std::optional<Reduction> asMatmul(const Reduction& convolution);

[[nodiscard]] nlohmann::json toJson(const Reduction& reduction);
[[nodiscard]] Result<Reduction> reductionFrom(const nlohmann::json& json);

}  // namespace hone::model
