#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::model {

/// Kind of a reduction: selects the function of the compiler's pass SetSplitReductionSizes that
/// decides about it. The functions compute the output size in different ways.
enum class ReductionKind : std::uint8_t { convolution, matmul };

/// Returns "convolution" or "matmul".
[[nodiscard]] std::string_view nameOf(ReductionKind kind);

/// A reduction described by the sizes that the pass uses, under the names it gives them. The kind
/// is the compiler's: a weight-backward convolution with a 1x1 filter is a matmul when the pass
/// sees it.
struct Reduction {
  ReductionKind kind = ReductionKind::matmul;
  std::vector<std::int64_t> sizes;  ///< sizes of the reduction loops, outermost first
  /// Set for a convolution whose batch is the outermost loop of its output. It is split from the
  /// innermost reduction loop outward; all others are split from the outermost loop inward.
  bool batchFirst = false;
  std::int64_t batchSize = 1;
  std::int64_t outputChannelSize = 1, imageSize = 1, depthSize = 1;  ///< for a convolution
  /// For a matmul; for a convolution, the values the compiler uses if it treats it as a matmul.
  std::int64_t mSize = 1, nSize = 1;
  /// Size of the reduction loops that index both operands alike. 0 means all of them or, for a
  /// convolution, none.
  std::int64_t kSize = 0;

  [[nodiscard]] std::int64_t outputSize() const;
  /// Returns the reduction size as the pass computes it: k for a matmul.
  [[nodiscard]] std::int64_t reductionSize() const;
  /// Returns the size of the loop that is split first.
  [[nodiscard]] std::int64_t startSize() const;
  bool operator==(const Reduction&) const = default;
};

/// Returns the matmul that the pass tries if it does not split the convolution as such; nullopt if
/// there is none. The result's kSize is not the whole reduction.
[[nodiscard]] std::optional<Reduction> asMatmul(const Reduction& convolution);

[[nodiscard]] nlohmann::json toJson(const Reduction& reduction);
[[nodiscard]] Result<Reduction> reductionFrom(const nlohmann::json& json);

}  // namespace hone::model
