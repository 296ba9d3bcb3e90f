#include "knobs/gpu/matrix/matrix_instruction.h"

#include "base/text/text.h"

namespace hone::knobs {

std::optional<MatrixInstruction> matrixInstructionFrom(std::string_view name) {
  const auto parts = splitAt(name, '_');
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto sizes = splitAt(parts[i], 'x');
    if (sizes.size() != 3) {
      continue;
    }
    const auto m = parseInt(sizes[0]);
    const auto n = parseInt(sizes[1]);
    // The depth may end the name.
    const auto k = parseInt(sizes[2].substr(0, sizes[2].find('>')));
    if (m && n && k && *m > 0 && *n > 0 && *k > 0) {
      return MatrixInstruction{.sums = toLower(parts[i - 1]), .m = *m, .n = *n, .k = *k};
    }
  }
  return std::nullopt;
}

}  // namespace hone::knobs
