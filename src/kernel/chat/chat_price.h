#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace hone::kernel {

/// In US dollars for a million tokens.
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

/// How many tokens a text has, where nobody counts: rather too many than too few.
[[nodiscard]] std::int64_t guessTokens(std::string_view text);

[[nodiscard]] double costOf(const TokenUse& use, const ChatPrice& price);

/// What a model is known to cost, dated names ("gpt-4o-2024-08-06") included; nothing for others.
[[nodiscard]] std::optional<ChatPrice> priceOf(std::string_view model);

/// Reads "2.5,10": for a million tokens in, and out.
[[nodiscard]] Result<ChatPrice> priceFrom(std::string_view text);

}  // namespace hone::kernel
