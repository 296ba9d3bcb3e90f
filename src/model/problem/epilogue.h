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

/// What is done with a sum of products before it is the result: a bias for each column (or output
/// channel), then an activation; softmax goes along the columns. All in the result's type, but
/// softmax in no less than f32: 16 bits cannot hold the sum of a long row of weights.
struct Epilogue {
  bool bias = false;
  Activation activation = Activation::none;

  [[nodiscard]] bool isNone() const { return !bias && activation == Activation::none; }
  /// "bias_relu", "gelu"; "" for none.
  [[nodiscard]] std::string text() const;
  bool operator==(const Epilogue&) const = default;
};

/// Reads the words of text() as far as they are such words, in this order: "bias", an activation.
/// True when the word was taken.
[[nodiscard]] bool takeWord(Epilogue& epilogue, std::string_view word);

/// Why it cannot follow a sum in this type, or ok.
[[nodiscard]] Result<void> check(const Epilogue& epilogue, ElementType result);

[[nodiscard]] Result<Epilogue> epilogueFrom(std::string_view text);

}  // namespace hone::model
