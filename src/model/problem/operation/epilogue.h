#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/error.h"
#include "model/problem/element_type.h"

namespace hone::model {

enum class Activation : std::uint8_t { none, relu, gelu, softmax };

[[nodiscard]] std::string_view nameOf(Activation activation);

/// Fused operations on a sum of products: a bias per column (or output channel), then an
/// activation. Softmax runs along the columns. The epilogue is computed in the result's type,
/// except that softmax uses at least f32: 16 bits cannot hold the sum of a long row.
struct Epilogue {
  bool bias = false;
  Activation activation = Activation::none;

  [[nodiscard]] bool isNone() const { return !bias && activation == Activation::none; }
  /// Returns "bias_relu", "gelu" or similar; "" for none.
  [[nodiscard]] std::string text() const;
  bool operator==(const Epilogue&) const = default;
};

/// Adds one word of text() to the epilogue, in the order "bias", activation. Returns true if the
/// word was accepted.
[[nodiscard]] bool takeWord(Epilogue& epilogue, std::string_view word);

/// Returns a user error if the epilogue cannot follow a sum in this type.
[[nodiscard]] Result<void> check(const Epilogue& epilogue, ElementType result);

[[nodiscard]] Result<Epilogue> epilogueFrom(std::string_view text);

}  // namespace hone::model
