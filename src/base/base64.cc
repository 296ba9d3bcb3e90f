#include "base/base64.h"

#include <algorithm>
#include <cstdint>

namespace hone {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string toBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const bool there = at + i < bytes.size();
      group = group << 8 | (there ? static_cast<unsigned char>(bytes[at + i]) : 0);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const bool there = at + i <= bytes.size();
      text += there ? kDigits[group >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

std::optional<std::string> fromBase64(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::uint32_t group = 0;
    for (const char c : text.substr(at, 4)) {
      const auto digit = kDigits.find(c);
      group = group << 6 | static_cast<std::uint32_t>(digit == std::string_view::npos ? 0 : digit);
    }
    for (const unsigned shift : {16U, 8U, 0U}) {
      bytes += static_cast<char>(group >> shift & 255);
    }
  }
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  bytes.erase(bytes.size() - std::min(padding, bytes.size()));
  // Written again it must be the same: this finds every text that is not of this form.
  if (toBase64(bytes) != text) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace hone
