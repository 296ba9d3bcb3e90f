#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "iree/module/matcher/operation_form.h"

namespace hone::iree {

/// The loops of a matched operation, as far as configurations depend on them.
struct LoopInfo {
  std::size_t count = 0;  ///< 0 if the loops are unknown
  std::set<std::int64_t> reductions;
  std::vector<std::int64_t> m;        ///< rows of the result: matmul, convolution, attention
  std::vector<std::int64_t> n;        ///< columns of the result
  std::vector<std::int64_t> k1;       ///< of an attention
  std::vector<std::int64_t> sizes{};  ///< per loop; -1: unknown
};

/// Returns the loops of the operations that a matcher matches, from its indexing maps.
[[nodiscard]] LoopInfo findLoops(const OperationForm& form);

/// Returns the loop of `to` that corresponds to each loop of `from`; empty if the forms do not have
/// the same roles with the same number of loops.
[[nodiscard]] std::vector<std::int64_t> correspondingLoops(const OperationForm& from,
                                                           const OperationForm& to);

}  // namespace hone::iree
