#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hone {

/// SHA-256 of what was fed to it. `field` adds a length before the bytes, so that
/// ("ab","c") and ("a","bc") differ: keys of several parts are made with it.
class Hasher {
 public:
  Hasher();
  Hasher& bytes(std::span<const std::byte> data);
  Hasher& bytes(std::string_view data);
  Hasher& field(std::string_view data);
  /// 64 lower-case hex digits. The hasher must not be fed afterwards.
  [[nodiscard]] std::string hex();

 private:
  void block(const std::uint8_t* data);

  std::array<std::uint32_t, 8> state_;
  std::array<std::uint8_t, 64> pending_{};
  std::size_t pendingSize_ = 0;
  std::uint64_t total_ = 0;
};

[[nodiscard]] std::string hashOf(std::string_view data);
[[nodiscard]] Result<std::string> hashOfFile(const std::filesystem::path& file);

/// A 64-bit seed that depends on every part: different operands get different streams.
[[nodiscard]] std::uint64_t seedFrom(std::uint64_t seed, std::string_view part);

}  // namespace hone
