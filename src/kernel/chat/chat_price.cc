#include "kernel/chat/chat_price.h"

#include <array>
#include <utility>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

/// List prices of November 2026; --price overrides them.
constexpr std::array<std::pair<std::string_view, ChatPrice>, 14> kPrices = {{
    {"gpt-4.1", {2.00, 8.00}},
    {"gpt-4.1-mini", {0.40, 1.60}},
    {"gpt-4.1-nano", {0.10, 0.40}},
    {"gpt-4o", {2.50, 10.00}},
    {"gpt-4o-mini", {0.15, 0.60}},
    {"gpt-5", {1.25, 10.00}},
    {"gpt-5-mini", {0.25, 2.00}},
    {"o1", {15.00, 60.00}},
    {"o1-mini", {1.10, 4.40}},
    {"o1-preview", {15.00, 60.00}},
    {"o1-pro", {150.00, 600.00}},
    {"o3", {2.00, 8.00}},
    {"o3-mini", {1.10, 4.40}},
    {"o4-mini", {1.10, 4.40}},
}};

}  // namespace

bool isDateSuffix(std::string_view rest) {
  return rest.empty() || (rest.size() > 1 && rest[0] == '-' && rest[1] >= '0' && rest[1] <= '9');
}

TokenUse& TokenUse::operator+=(const TokenUse& other) {
  in += other.in;
  out += other.out;
  return *this;
}

std::int64_t guessTokens(std::string_view text) {
  constexpr std::size_t kCharsPerToken = 3;  // rarely fewer
  return static_cast<std::int64_t>((text.size() + kCharsPerToken - 1) / kCharsPerToken);
}

double computeCost(const TokenUse& use, const ChatPrice& price) {
  return (static_cast<double>(use.in) * price.in + static_cast<double>(use.out) * price.out) / 1e6;
}

std::optional<ChatPrice> findPrice(std::string_view model) {
  for (const auto& [name, price] : kPrices) {
    if (model.starts_with(name) && isDateSuffix(model.substr(name.size()))) {
      return price;
    }
  }
  return std::nullopt;
}

Result<ChatPrice> priceFrom(std::string_view text) {
  const auto parts = splitAt(text, ',');
  const auto in = parseDouble(trim(parts.front()));
  const auto out = parseDouble(trim(parts.back()));
  if (parts.size() != 2 || !in || !out || *in < 0 || *out < 0) {
    return userError(
        "invalid --price '{}': expected dollars per million input and output tokens, e.g. 2.5,10",
        text);
  }
  return ChatPrice{*in, *out};
}

}  // namespace hone::kernel
