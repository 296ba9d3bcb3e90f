#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace hone {

/// Computes SHA-256 incrementally. `field` prefixes the bytes with their length, so that
/// ("ab","c") and ("a","bc") differ. Use it for keys of several parts.
class Hasher {
 public:
  Hasher();
  Hasher& bytes(std::span<const std::byte> data);
  Hasher& bytes(std::string_view data);
  Hasher& field(std::string_view data);
  /// Returns 64 lower-case hex digits. The hasher must not be used afterwards.
  [[nodiscard]] std::string hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

/// Return the SHA-256 as 64 lower-case hex digits.
[[nodiscard]] std::string hashBytes(std::string_view data);
[[nodiscard]] Result<std::string> hashFile(const std::filesystem::path& file);

/// Derives a 64-bit seed from `seed` and `part`, so that different operands get different streams.
[[nodiscard]] std::uint64_t seedFrom(std::uint64_t seed, std::string_view part);

}  // namespace hone
