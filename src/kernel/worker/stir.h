#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/random.h"

namespace hone::kernel {

/// An input whose elements may be overwritten between calls.
struct Stirrable {
  std::byte* data = nullptr;
  std::size_t count = 0;
  std::size_t elementBytes = 0;
};

/// Copies one random element of each input over another before every call of a series, except for
/// the last call, which sees the original inputs. See docs/kernel-worker.md. The positions are
/// drawn in the constructor.
class Stir {
 public:
  Stir(std::uint64_t seed, std::span<const Stirrable> inputs, std::size_t calls)
      : inputs_(inputs.begin(), inputs.end()), calls_(calls), saved_(inputs.size()) {
    Random random(seed);
    for (std::size_t i = 0; i + 1 < calls; ++i) {
      for (const Stirrable& input : inputs_) {
        const std::size_t to = random.below(input.count);
        places_.push_back({to, random.below(input.count)});
      }
    }
  }

  /// Prepares the inputs of a call. Must be called before each call, in order, from 0.
  void before(std::size_t call) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Stirrable& input = inputs_[i];
      const std::size_t bytes = input.elementBytes;
      if (call > 0) {
        std::memcpy(input.data + choosePlace(call - 1, i).to * bytes, &saved_[i], bytes);
      }
      if (call + 1 < calls_) {
        const Place place = choosePlace(call, i);
        std::memcpy(&saved_[i], input.data + place.to * bytes, bytes);
        std::memmove(input.data + place.to * bytes, input.data + place.from * bytes, bytes);
      }
    }
  }

 private:
  struct Place {
    std::size_t to;
    std::size_t from;
  };
  [[nodiscard]] Place choosePlace(std::size_t call, std::size_t input) const {
    return places_[call * inputs_.size() + input];
  }

  std::vector<Stirrable> inputs_;
  std::size_t calls_;
  std::vector<Place> places_;
  std::vector<std::uint64_t> saved_;
};

}  // namespace hone::kernel
