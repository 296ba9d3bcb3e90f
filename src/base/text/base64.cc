#include "base/text/base64.h"

#include <openssl/evp.h>

#include <algorithm>

namespace hone {
namespace {

/// Long texts are converted in parts because OpenSSL takes int sizes. A group is 3 bytes, or 4
/// digits.
constexpr std::size_t kGroupsPerPart = std::size_t{1} << 20U;

const unsigned char* unsignedBytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string toBase64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL appends a 0
  auto* to = reinterpret_cast<unsigned char*>(text.data());
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), 3 * kGroupsPerPart))) {
    const std::string_view part = bytes.substr(0, 3 * kGroupsPerPart);
    to += EVP_EncodeBlock(to, unsignedBytes(part), static_cast<int>(part.size()));
  }
  text.pop_back();
  return text;
}

std::optional<std::string> fromBase64(std::string_view text) {
  std::string bytes((text.size() + 3) / 4 * 3, '\0');
  auto* to = reinterpret_cast<unsigned char*>(bytes.data());
  for (std::string_view left = text; !left.empty();
       left.remove_prefix(std::min(left.size(), 4 * kGroupsPerPart))) {
    const std::string_view part = left.substr(0, 4 * kGroupsPerPart);
    const int size = EVP_DecodeBlock(to, unsignedBytes(part), static_cast<int>(part.size()));
    if (size < 0) {
      return std::nullopt;
    }
    to += size;
  }
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  bytes.erase(bytes.size() - std::min(padding, bytes.size()));
  // OpenSSL accepts blanks and non-zero trailing bits. Encoding again exposes both.
  if (toBase64(bytes) != text) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace hone
