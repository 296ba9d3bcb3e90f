#include "split/source/code_value.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone::split {
namespace {

std::optional<CodeValue> computeInteger(char op, const CodeValue& a, const CodeValue& b) {
  std::int64_t result = 0;
  bool bad = false;
  switch (op) {
    case '+':
      bad = __builtin_add_overflow(a.integer, b.integer, &result);
      break;
    case '-':
      bad = __builtin_sub_overflow(a.integer, b.integer, &result);
      break;
    case '*':
      bad = __builtin_mul_overflow(a.integer, b.integer, &result);
      break;
    default:
      bad = b.integer == 0 || b.integer == -1;
      result = bad ? 0 : op == '/' ? a.integer / b.integer : a.integer % b.integer;
  }
  CodeValue value = integerValue(result);
  value.isInt = a.isInt && b.isInt;
  // The product of two int literals is an int.
  bad = bad || (value.isInt && (result > std::numeric_limits<int>::max() ||
                                result < std::numeric_limits<int>::min()));
  return bad ? std::nullopt : std::optional(value);
}

template <typename T>
bool holds(std::string_view op, T a, T b) {
  return op == "<"    ? a < b
         : op == ">"  ? a > b
         : op == "<=" ? a <= b
         : op == ">=" ? a >= b
         : op == "==" ? a == b
                      : a != b;
}

}  // namespace

CodeValue integerValue(std::int64_t value) {
  return {.kind = CodeValue::Kind::integer, .integer = value};
}

CodeValue booleanValue(bool value) {
  return {.kind = CodeValue::Kind::boolean, .integer = value ? 1 : 0};
}

CodeValue realValue(double value) { return {.kind = CodeValue::Kind::real, .real = value}; }

std::optional<bool> truth(const CodeValue& value) {
  using enum CodeValue::Kind;
  switch (value.kind) {
    case boolean:
    case integer:
      return value.integer != 0;
    case real:
      return value.real != 0;
    case none:
      return false;
    case list:
      return true;  // an optional that has one
    default:
      return std::nullopt;
  }
}

CodeValue convert(CodeValue value, std::string_view type) {
  using enum CodeValue::Kind;
  const bool isBoolean = type == "bool";
  const bool isReal = type == "double" || type == "float";
  const bool isInteger = type == "int64_t" || type == "int" || type == "long" || type == "size_t" ||
                         type == "unsigned" || type == "std::optional<int64_t>";
  if (isBoolean) {
    const auto known = truth(value);
    return known ? booleanValue(*known) : value;
  }
  if (isReal && (value.isNumber() || value.kind == boolean)) {
    const double number = value.number();
    return realValue(type == "float" ? static_cast<double>(static_cast<float>(number)) : number);
  }
  if (isInteger && value.kind == real) {
    constexpr double kTwoTo63 = 9223372036854775808.0;
    if (!(std::abs(value.real) < kTwoTo63)) {
      return {.cause = value.cause};
    }
    return integerValue(static_cast<std::int64_t>(value.real));
  }
  if (isInteger && (value.kind == integer || value.kind == boolean)) {
    return integerValue(value.integer);
  }
  return value;
}

std::optional<CodeValue> compute(char op, CodeValue a, CodeValue b) {
  using enum CodeValue::Kind;
  for (CodeValue* one : {&a, &b}) {
    if (one->kind == boolean) {
      one->kind = integer;
    }
  }
  if (!a.isNumber() || !b.isNumber()) {
    return std::nullopt;
  }
  if (a.kind == integer && b.kind == integer) {
    return computeInteger(op, a, b);
  }
  const double x = a.number();
  const double y = b.number();
  switch (op) {
    case '+':
      return realValue(x + y);
    case '-':
      return realValue(x - y);
    case '*':
      return realValue(x * y);
    case '/':
      return realValue(x / y);
    default:
      return std::nullopt;
  }
}

std::optional<CodeValue> compareValues(std::string_view op, const CodeValue& a,
                                       const CodeValue& b) {
  using enum CodeValue::Kind;
  const bool integers =
      (a.kind == integer || a.kind == boolean) && (b.kind == integer || b.kind == boolean);
  if (integers) {
    return booleanValue(holds(op, a.integer, b.integer));
  }
  if (!a.isNumber() || !b.isNumber()) {
    return std::nullopt;
  }
  return booleanValue(holds(op, a.number(), b.number()));
}

std::optional<CodeValue> callLibrary(std::string_view name, std::string_view type,
                                     std::vector<CodeValue> values) {
  using enum CodeValue::Kind;
  if (values.size() == 1 && name == "static_cast") {
    return convert(values[0], type);
  }
  if (values.size() == 1 && (name == "int64_t" || name == "int" || name == "double" ||
                             name == "float" || name == "bool" || name == "size_t")) {
    return convert(values[0], name);
  }
  if (values.size() == 1 && name == "std::move") {
    return values[0];
  }
  if (values.size() == 1 && name == "llvm::product_of" && values[0].kind == list) {
    CodeValue product = integerValue(1);
    for (const std::int64_t size : values[0].list) {
      const auto next = computeInteger('*', product, integerValue(size));
      if (!next) {
        return std::nullopt;
      }
      product = *next;
    }
    return product;
  }
  if (!std::ranges::all_of(values, &CodeValue::isNumber)) {
    return std::nullopt;
  }
  if (values.size() == 1 && values[0].isNumber()) {
    const double x = values[0].number();
    return name == "std::sqrt"    ? std::optional(realValue(std::sqrt(x)))
           : name == "std::ceil"  ? std::optional(realValue(std::ceil(x)))
           : name == "std::floor" ? std::optional(realValue(std::floor(x)))
           : name == "std::log2"  ? std::optional(realValue(std::log2(x)))
                                  : std::nullopt;
  }
  if (values.size() == 2 && (name == "std::min" || name == "std::max")) {
    const CodeValue a = convert(values[0], type);
    const CodeValue b = convert(values[1], type);
    const auto less = compareValues("<", a, b);
    return less ? std::optional((less->integer != 0) == (name == "std::min") ? a : b)
                : std::nullopt;
  }
  if (values.size() == 2 && name == "llvm::divideCeil" && values[0].kind == integer &&
      values[1].kind == integer && values[1].integer > 0) {
    const std::int64_t divisor = values[1].integer;
    return integerValue(values[0].integer / divisor + (values[0].integer % divisor > 0 ? 1 : 0));
  }
  return std::nullopt;
}

}  // namespace hone::split
