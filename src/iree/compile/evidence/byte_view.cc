#include "iree/compile/evidence/byte_view.h"

namespace hone::iree {

std::optional<std::uint64_t> ByteView::number(std::uint64_t at, std::size_t width) const {
  const auto bytes = part(at, width);
  if (!bytes) {
    return std::nullopt;
  }
  std::uint64_t number = 0;
  for (std::size_t i = width; i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>((*bytes)[i]);
  }
  return number;
}

std::optional<std::string_view> ByteView::part(std::uint64_t at, std::uint64_t size) const {
  if (at > bytes_.size() || size > bytes_.size() - at) {
    return std::nullopt;
  }
  return bytes_.substr(at, size);
}

}  // namespace hone::iree
