#include "model/workload/miopen_options.h"

#include "base/text/text.h"
#include "model/problem/shown.h"

namespace hone::model {
namespace {

/// Longer words are not misspelled options, and computing their edit distance is slow.
constexpr std::size_t kMaxMisspelledLength = 40;

}  // namespace

Result<void> readValue(std::string_view option, std::string_view value, std::int64_t& into) {
  const auto number = parseInt(value);
  if (!number) {
    return userError("{}: expected an integer, got '{}'; correct the value", option, shown(value));
  }
  into = *number;
  return {};
}

Result<void> readValue(std::string_view option, std::string_view value, bool& into) {
  if (value != "0" && value != "1") {
    return userError("{}: expected 0 or 1, got '{}'; correct the value", option, shown(value));
  }
  into = value == "1";
  return {};
}

Result<void> readValue(std::string_view option, std::string_view value, ElementType& into) {
  const auto type = elementTypeFrom(value);
  if (!type) {
    return userError("{}: expected an element type, got '{}'; use a type such as f32, bf16 or i8",
                     option, shown(value));
  }
  into = *type;
  return {};
}

Result<void> readValue(std::string_view /*option*/, std::string_view value,
                       std::string_view& into) {
  into = value;
  return {};
}

Result<void> checkFixedValue(std::string_view option, std::string_view value,
                             const FixedValue& fixed) {
  const auto number = parseDouble(value);
  const bool same = value == fixed.value || (number && number == parseDouble(fixed.value));
  if (!same) {
    return userError("{} {} is not supported, only {}; {}", option, shown(value), fixed.value,
                     fixed.advice);
  }
  return {};
}

std::unexpected<Error> unknownOption(std::string_view word, std::span<const std::string> known) {
  if (!word.starts_with('-')) {
    return userError("expected an option, got '{}'; add '-' or '--' before it", shown(word));
  }
  const auto likely = word.size() <= kMaxMisspelledLength ? nearest(word, known) : std::nullopt;
  return userError("unknown option '{}'; {}", shown(word),
                   likely ? fmt::format("did you mean {}?", *likely) : "remove it");
}

bool looksLikeOption(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && word[1] != '.' && (word[1] < '0' || word[1] > '9');
}

}  // namespace hone::model
