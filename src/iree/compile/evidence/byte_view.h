#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hone::iree {

/// Reads little-endian numbers from untrusted bytes. Every access is checked.
class ByteView {
 public:
  explicit ByteView(std::string_view bytes) : bytes_(bytes) {}

  /// Returns the number of `width` bytes at `at`; nullopt if it is out of range.
  [[nodiscard]] std::optional<std::uint64_t> number(std::uint64_t at, std::size_t width) const;
  /// Returns the bytes [at, at + size); nullopt if they are out of range.
  [[nodiscard]] std::optional<std::string_view> part(std::uint64_t at, std::uint64_t size) const;
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

}  // namespace hone::iree
