#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "split/source/code_tree.h"

namespace hone::split {

/// The value of an expression. An optional has the value it contains, or is `none`.
struct CodeValue {
  enum class Kind : std::uint8_t { unknown, boolean, integer, real, none, list, function };
  Kind kind = Kind::unknown;
  std::int64_t integer = 0;  ///< also a boolean
  bool isInt = false;        ///< computed from literals of type int only
  bool isInput = false;      ///< given for a variable whose initializer is unknown
  double real = 0;
  std::vector<std::int64_t> list = {};
  std::shared_ptr<const CodeFunction> function = {};
  std::size_t cause = 0;  ///< first token of the construct that makes it unknown

  [[nodiscard]] bool isKnown() const { return kind != Kind::unknown; }
  [[nodiscard]] bool isNumber() const { return kind == Kind::integer || kind == Kind::real; }
  [[nodiscard]] double number() const {
    return kind == Kind::real ? real : static_cast<double>(integer);
  }
};

[[nodiscard]] CodeValue integerValue(std::int64_t value);
[[nodiscard]] CodeValue booleanValue(bool value);
[[nodiscard]] CodeValue realValue(double value);

/// Returns the value as a condition; nullopt if it is unknown or cannot be one.
[[nodiscard]] std::optional<bool> truth(const CodeValue& value);

/// Converts like an initialization of a variable of the type.
[[nodiscard]] CodeValue convert(CodeValue value, std::string_view type);

/// Computes an arithmetic operator; nullopt if the values are not numbers or the result overflows.
[[nodiscard]] std::optional<CodeValue> compute(char op, CodeValue a, CodeValue b);

/// Computes a comparison; nullopt if the values are not numbers.
[[nodiscard]] std::optional<CodeValue> compareValues(std::string_view op, const CodeValue& a,
                                                     const CodeValue& b);

/// Computes a function of a library; nullopt if it is not known or not applicable.
[[nodiscard]] std::optional<CodeValue> callLibrary(std::string_view name, std::string_view type,
                                                   std::vector<CodeValue> values);

}  // namespace hone::split
