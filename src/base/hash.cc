#include "base/hash.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <vector>

namespace hone {
namespace {

constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

}  // namespace

Hasher::Hasher()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Hasher::block(const std::uint8_t* data) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = (std::uint32_t{data[4 * i]} << 24U) | (std::uint32_t{data[4 * i + 1]} << 16U) |
           (std::uint32_t{data[4 * i + 2]} << 8U) | std::uint32_t{data[4 * i + 3]};
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3U);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10U);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t choice = (e & f) ^ (~e & g);
    const std::uint32_t t1 = h + s1 + choice + kRound[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + s0 + majority;
  }
  const std::array<std::uint32_t, 8> add = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) {
    state_[i] += add[i];
  }
}

Hasher& Hasher::bytes(std::span<const std::byte> data) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(data.data());
  std::size_t left = data.size();
  total_ += left;
  if (pendingSize_ > 0) {
    const std::size_t take = std::min(left, pending_.size() - pendingSize_);
    std::memcpy(pending_.data() + pendingSize_, at, take);
    pendingSize_ += take;
    at += take;
    left -= take;
    if (pendingSize_ < pending_.size()) {
      return *this;
    }
    block(pending_.data());
    pendingSize_ = 0;
  }
  for (; left >= 64; at += 64, left -= 64) {
    block(at);
  }
  if (left > 0) {
    std::memcpy(pending_.data(), at, left);
    pendingSize_ = left;
  }
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
  const std::uint64_t bits = total_ * 8;
  std::array<std::uint8_t, 72> tail{};
  tail[0] = 0x80;
  const std::size_t padding = (pendingSize_ < 56 ? 56 : 120) - pendingSize_;
  for (std::size_t i = 0; i < 8; ++i) {
    tail[padding + i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  }
  bytes(std::as_bytes(std::span(tail.data(), padding + 8)));
  std::string out;
  for (const std::uint32_t word : state_) {
    out += fmt::format("{:08x}", word);
  }
  return out;
}

std::string hashOf(std::string_view data) { return Hasher().bytes(data).hex(); }

Result<std::string> hashOfFile(const std::filesystem::path& file) {
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
