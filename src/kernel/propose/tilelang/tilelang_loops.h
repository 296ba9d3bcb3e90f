#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernel {

/// Two perfectly nested loops of a TileLang source that can be swapped.
struct LoopPair {
  std::size_t begin = 0;   ///< start of the outer loop's header
  std::size_t length = 0;  ///< up to the end of the inner loop's header
  std::string swapped;     ///< text of the swapped headers
  std::string inner;       ///< the inner loop's variable
  int line = 0;            ///< of the outer loop
  bool strided = false;  ///< the inner loop accesses a tensor with a stride, the outer contiguously
};

/// Returns the loop pairs of a text without comments and strings.
[[nodiscard]] std::vector<LoopPair> loopPairs(std::string_view text);

}  // namespace hone::kernel
