#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace hone {

/// SplitMix64 generator. Unlike the distributions of <random>, it yields the same numbers with
/// every standard library, so inputs and races can be replayed on any machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// Returns a uniform value in [0, bound) for a positive bound, with a bias below bound / 2^64.
  std::size_t below(std::size_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>((static_cast<Wide>(next()) * bound) >> 64U);
  }
  /// Returns a uniform value in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
  /// Shuffles `values` uniformly.
  template <typename T>
  void shuffle(std::span<T> values) {
    for (std::size_t left = values.size(); left > 1; --left) {
      std::swap(values[left - 1], values[below(left)]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace hone
