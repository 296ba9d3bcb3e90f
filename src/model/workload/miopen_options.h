#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/error.h"
#include "model/problem/element_type.h"

namespace hone::model {

/// Target of an option that does not affect the problem: its value is skipped.
struct Ignored {};

/// Target of an option that hone supports with one value only, because other values mean another
/// operation.
struct FixedValue {
  std::string_view value;
  std::string_view advice;  ///< for the user
};

/// An option of MIOpenDriver and the member of Fields that stores its value.
template <typename Fields>
struct Option {
  char brief = '\0';  ///< letter after a single '-'; '\0' for none
  std::string_view name;
  std::variant<std::int64_t Fields::*, bool Fields::*, ElementType Fields::*,
               std::string_view Fields::*, FixedValue, Ignored>
      target;
};

[[nodiscard]] Result<void> readValue(std::string_view option, std::string_view value,
                                     std::int64_t& into);
[[nodiscard]] Result<void> readValue(std::string_view option, std::string_view value, bool& into);
[[nodiscard]] Result<void> readValue(std::string_view option, std::string_view value,
                                     ElementType& into);
[[nodiscard]] Result<void> readValue(std::string_view option, std::string_view value,
                                     std::string_view& into);
[[nodiscard]] Result<void> checkFixedValue(std::string_view option, std::string_view value,
                                           const FixedValue& fixed);
[[nodiscard]] std::unexpected<Error> unknownOption(std::string_view word,
                                                   std::span<const std::string> known);
/// Returns true if the word can only be an option, so that the value before it is missing.
[[nodiscard]] bool looksLikeOption(std::string_view word);

template <typename Fields>
const Option<Fields>* findOption(std::string_view word, std::span<const Option<Fields>> options) {
  const bool isLong = word.starts_with("--");
  for (const Option<Fields>& option : options) {
    if (isLong ? word.substr(2) == option.name
               : word.size() == 2 && word[0] == '-' && word[1] == option.brief) {
      return &option;
    }
  }
  return nullptr;
}

template <typename Fields>
std::unexpected<Error> unknownAmong(std::string_view word,
                                    std::span<const Option<Fields>> options) {
  std::vector<std::string> known;
  for (const Option<Fields>& option : options) {
    known.push_back(fmt::format("--{}", option.name));
  }
  return unknownOption(word, known);
}

template <typename Fields>
Result<void> storeValue(const Option<Fields>& option, std::string_view word, std::string_view value,
                        Fields& fields) {
  return std::visit(
      [&](const auto& target) -> Result<void> {
        using Target = std::decay_t<decltype(target)>;
        if constexpr (std::is_same_v<Target, FixedValue>) {
          return checkFixedValue(word, value, target);
        } else if constexpr (std::is_same_v<Target, Ignored>) {
          return {};
        } else {
          return readValue(word, value, fields.*target);
        }
      },
      option.target);
}

/// Parses "-n 16", "--batchsize 16" and "--batchsize=16" into the fields. The last value of a
/// repeated option wins, as in MIOpen.
template <typename Fields>
Result<void> readOptions(std::span<const std::string_view> words,
                         std::type_identity_t<std::span<const Option<Fields>>> options,
                         Fields& fields) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
    const bool hasValue = equals != std::string_view::npos;
    std::string_view value = hasValue ? word.substr(equals + 1) : std::string_view();
    word = word.substr(0, equals);
    const Option<Fields>* option = findOption(word, options);
    if (option == nullptr) {
      return unknownAmong(word, options);
    }
    if (!hasValue) {
      if (i + 1 == words.size() || looksLikeOption(words[i + 1])) {
        return userError("{} has no value; add one after it", word);
      }
      value = words[++i];
    }
    HONE_CHECK(storeValue(*option, word, value, fields));
  }
  return {};
}

}  // namespace hone::model
