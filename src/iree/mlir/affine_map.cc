#include "iree/mlir/affine_map.h"

#include <algorithm>
#include <cctype>

#include "base/text/text.h"

namespace hone::iree {
namespace {

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

AffineIndex indexFrom(std::string_view text) {
  AffineIndex index;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = text[at] == 'd' && (at == 0 || !isWordCharacter(text[at - 1]));
    std::size_t end = at + 1;
    while (begins && end < text.size() && isDigit(text[end])) {
      ++end;
    }
    const auto loop = begins ? parseInt(text.substr(at + 1, end - at - 1)) : std::nullopt;
    if (!loop) {
      continue;
    }
    index.loops.push_back(static_cast<std::size_t>(*loop));
    if (at == 0 && end == text.size()) {
      index.only = index.loops.back();
    }
  }
  std::sort(index.loops.begin(), index.loops.end());
  index.loops.erase(std::unique(index.loops.begin(), index.loops.end()), index.loops.end());
  return index;
}

}  // namespace

std::vector<AffineIndex> affineIndices(std::string_view map) {
  std::vector<AffineIndex> indices;
  const auto open = map.find("-> (");
  const auto close = map.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close <= open + 4) {
    return indices;
  }
  for (const std::string& part : splitAt(map.substr(open + 4, close - open - 4), ',')) {
    indices.push_back(indexFrom(trim(part)));
  }
  return indices;
}

}  // namespace hone::iree
