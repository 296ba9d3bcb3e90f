#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "kernel/judge/input/input_values.h"
#include "kernel/judge/task/task.h"
#include "verify/tensor/tensor.h"

namespace hone::kernel {

/// Random bits that determine the inputs of one call. They come from the operating system, so that
/// earlier inputs do not reveal later ones.
struct InputKey {
  std::array<std::uint64_t, 2> bits{};

  /// Draws a new key; fails if the system provides no random bits.
  [[nodiscard]] static Result<InputKey> draw();
};

/// Range of the floats of timed inputs.
struct TimedRange {
  bool positive = false;  ///< without zero and negative numbers
  bool large = true;      ///< with scales above 1 and dominant elements
  bool operator==(const TimedRange&) const = default;
};

/// Ranges of timed inputs, the preferred one first.
inline constexpr std::array<TimedRange, 4> kTimedRanges = {
    {{}, {.positive = true}, {.large = false}, {.positive = true, .large = false}}};

/// Generates the inputs of timed calls, at about the speed of memory. All elements of free inputs
/// are new in every call, so that no row equals one of an earlier call. Half of the calls have a
/// dominant element in some rows.
class TimedInputs {
 public:
  /// `natural` are the inputs that a Python reference creates; see mixNatural().
  TimedInputs(const Shape& shape, std::span<const verify::Tensor> natural, TimedRange range = {});

  /// Returns the kind of the values that a key gives: `unit`, `positive` or `outliers`.
  [[nodiscard]] ValueKind kindFor(const InputKey& key) const;
  /// Writes the input `index` for a key into `into`, which has the size of the input.
  void write(const InputKey& key, std::size_t index, std::span<std::byte> into) const;
  /// Returns all inputs for a key.
  [[nodiscard]] std::vector<verify::Tensor> make(const InputKey& key) const;

 private:
  struct Input {
    model::TensorType type;
    IntegerRange range;                ///< of integers
    bool isFree = true;                ///< not constrained by the reference
    std::vector<double> base;          ///< values of a constrained input
    double added = 0;                  ///< range of the perturbation of `base`
    std::vector<std::uint16_t> table;  ///< 16-bit floats in [-1, 1), or in (0, 1)
  };
  TimedRange floats_;
  std::vector<Input> inputs_;
};

}  // namespace hone::kernel
