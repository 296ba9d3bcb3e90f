#include "base/hash.h"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <new>
#include <vector>

namespace hone {
namespace {

/// Returns the algorithm, fetched once: a fetch costs more than hashing a short key.
const EVP_MD* sha256() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return algorithm;
}

/// Throws if a digest failed, which OpenSSL's do only for lack of memory.
void checkDigest(int succeeded) {
  if (succeeded != 1) {
    throw std::bad_alloc();
  }
}

}  // namespace

void Hasher::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Hasher::Hasher() : context_(EVP_MD_CTX_new()) {
  checkDigest(EVP_DigestInit_ex2(context_.get(), sha256(), nullptr));
}

Hasher& Hasher::bytes(std::span<const std::byte> data) {
  checkDigest(EVP_DigestUpdate(context_.get(), data.data(), data.size()));
  return *this;
}

Hasher& Hasher::bytes(std::string_view data) {
  return bytes(std::as_bytes(std::span(data.data(), data.size())));
}

Hasher& Hasher::field(std::string_view data) {
  const std::uint64_t size = data.size();
  bytes(std::as_bytes(std::span(&size, 1)));
  return bytes(data);
}

std::string Hasher::hex() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, 32> digest{};
  checkDigest(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr));
  std::string text;
  text.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string hashBytes(std::string_view data) { return Hasher().bytes(data).hex(); }

Result<std::string> hashFile(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return errnoError(fmt::format("cannot read {}", file.string()));
  }
  Hasher hasher;
  std::vector<char> buffer(std::size_t{1} << 16U);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
    hasher.bytes(std::string_view(buffer.data(), static_cast<std::size_t>(in.gcount())));
  }
  if (in.bad()) {
    return errnoError(fmt::format("cannot read {}", file.string()));
  }
  return hasher.hex();
}

std::uint64_t seedFrom(std::uint64_t seed, std::string_view part) {
  const std::string digest = Hasher().field(std::to_string(seed)).field(part).hex();
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

}  // namespace hone
