#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernel {

/// Two loops of a TileLang source, one with nothing but the other in it, that may change places.
struct LoopPair {
  std::size_t begin = 0;   ///< of the outer loop's head
  std::size_t length = 0;  ///< to the end of the inner one's head
  std::string swapped;     ///< what stands there when they have changed places
  std::string inner;       ///< the inner loop's variable
  int line = 0;            ///< of the outer one
  bool jumps = false;      ///< the inner loop jumps through a tensor, the outer one would not
};

/// Of a text without comments and strings.
[[nodiscard]] std::vector<LoopPair> loopPairs(std::string_view text);

}  // namespace hone::kernel
