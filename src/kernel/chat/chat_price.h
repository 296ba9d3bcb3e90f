#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace hone::kernel {

/// US dollars per million tokens.
struct ChatPrice {
  double in = 0;
  double out = 0;

  bool operator==(const ChatPrice&) const = default;
};

struct TokenUse {
  std::int64_t in = 0;
  std::int64_t out = 0;

  TokenUse& operator+=(const TokenUse& other);
  bool operator==(const TokenUse&) const = default;
};

/// Estimates the number of tokens of a text; errs on the high side.
[[nodiscard]] std::int64_t guessTokens(std::string_view text);

[[nodiscard]] double computeCost(const TokenUse& use, const ChatPrice& price);

/// Returns true for the date in a model's name, such as "-2024-08-06", or no suffix.
[[nodiscard]] bool isDateSuffix(std::string_view rest);

/// Returns the list price of a model, also for dated names ("gpt-4o-2024-08-06"); nullopt if
/// unknown.
[[nodiscard]] std::optional<ChatPrice> findPrice(std::string_view model);

/// Parses "2.5,10": dollars per million input and output tokens.
[[nodiscard]] Result<ChatPrice> priceFrom(std::string_view text);

}  // namespace hone::kernel
