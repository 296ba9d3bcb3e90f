#include "split/source/expression_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "base/text/text.h"

namespace hone::split {
namespace {

using Kind = Expression::Kind;

/// Binary operators by precedence, loosest first.
constexpr std::array<std::array<std::string_view, 4>, 6> kOperators = {
    {{"||"}, {"&&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"+", "-"}, {"*", "/", "%"}}};
constexpr std::array<std::string_view, 8> kArithmeticTypes = {
    "int64_t", "int", "long", "size_t", "unsigned", "double", "float", "bool"};

/// Parses the number of a literal; `unknown` for forms that the heuristics do not use.
Expression parseNumber(const Token& token) {
  Expression number{.kind = Kind::unknown, .text = token.text};
  std::string digits = token.text;
  std::erase(digits, '\'');
  if (digits.find_first_of(".eE") != std::string::npos && !digits.starts_with("0x")) {
    const char* end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, number.real);
    number.kind = parsed.ec == std::errc() && parsed.ptr == end ? Kind::real : Kind::unknown;
    return number;
  }
  const std::size_t suffix = digits.find_first_of("lL");
  const bool isLong = suffix != std::string::npos;
  if (isLong && digits.find_first_not_of("lL", suffix) != std::string::npos) {
    return number;
  }
  digits = digits.substr(0, suffix);
  const auto value = digits.size() > 1 && digits.front() == '0' ? std::nullopt : parseInt(digits);
  if (value) {
    number.kind = Kind::integer;
    number.integer = *value;
    number.isInt = !isLong && *value <= std::numeric_limits<int>::max();
  }
  return number;
}

/// Recursive-descent parser of one expression. Every method returns nullopt if it cannot parse.
class ExpressionParser {
 public:
  ExpressionParser(const Source& source, std::size_t begin, std::size_t end)
      : source_(source), at_(begin), end_(end) {}

  std::optional<Expression> parseAll() {
    auto whole = conditional();
    return whole && at_ == end_ ? std::move(whole) : std::nullopt;
  }

 private:
  using Parsed = std::optional<Expression>;

  [[nodiscard]] std::string_view next(std::size_t ahead = 0) const {
    return at_ + ahead < end_ ? std::string_view(source_.tokens[at_ + ahead].text) : "";
  }
  bool take(std::string_view text) {
    const bool there = next() == text;
    at_ += there ? 1 : 0;
    return there;
  }
  [[nodiscard]] Expression node(Kind kind, std::string_view text, std::size_t begin,
                                std::vector<Expression> operands = {}) const {
    return {.kind = kind,
            .text = std::string(text),
            .operands = std::move(operands),
            .begin = begin,
            .end = at_};
  }

  Parsed conditional() {
    const std::size_t begin = at_;
    if (next(1) == "=" && source_.tokens[at_].kind == TokenKind::identifier) {
      Parsed variable = name();
      ++at_;
      Parsed value = variable ? conditional() : std::nullopt;
      return value
                 ? Parsed(node(Kind::binary, "=", begin, {std::move(*variable), std::move(*value)}))
                 : std::nullopt;
    }
    Parsed condition = binary(0);
    if (!condition || !take("?")) {
      return condition;
    }
    Parsed first = conditional();
    if (!first || !take(":")) {
      return std::nullopt;
    }
    Parsed second = conditional();
    if (!second) {
      return std::nullopt;
    }
    return node(Kind::conditional, "?", begin,
                {std::move(*condition), std::move(*first), std::move(*second)});
  }

  Parsed binary(std::size_t level) {
    if (level == kOperators.size()) {
      return unary();
    }
    const std::size_t begin = at_;
    Parsed left = binary(level + 1);
    while (left && isOneOf(kOperators[level], next())) {
      const std::string op(next());
      ++at_;
      Parsed right = binary(level + 1);
      if (!right) {
        return std::nullopt;
      }
      left = node(Kind::binary, op, begin, {std::move(*left), std::move(*right)});
    }
    return left;
  }

  Parsed unary() {
    const std::size_t begin = at_;
    for (const std::string_view op : {"!", "-", "+", "*"}) {
      if (take(op)) {
        Parsed operand = unary();
        return operand ? Parsed(node(Kind::unary, op, begin, {std::move(*operand)})) : std::nullopt;
      }
    }
    return postfix();
  }

  Parsed postfix() {
    const std::size_t begin = at_;
    Parsed left = primary();
    while (left) {
      if (next() == "(" && (left->kind == Kind::name || left->kind == Kind::member)) {
        left = call(std::move(*left), begin);
      } else if (next() == "[") {
        auto inside = bracketed();
        if (inside.size() != 1) {
          return std::nullopt;
        }
        left = node(Kind::index, "[]", begin, {std::move(*left), std::move(inside[0])});
      } else if (next() == "." || next() == "->") {
        ++at_;
        if (at_ == end_ || source_.tokens[at_].kind != TokenKind::identifier) {
          return std::nullopt;
        }
        const std::string name(next());
        ++at_;
        left = node(Kind::member, name, begin, {std::move(*left)});
      } else {
        break;
      }
    }
    return left;
  }

  Parsed call(Expression callee, std::size_t begin) {
    std::vector<Expression> operands = bracketed();
    if (callee.kind == Kind::member) {
      operands.insert(operands.begin(), std::move(callee.operands[0]));
      return node(Kind::method, callee.text, begin, std::move(operands));
    }
    Expression whole = node(Kind::call, callee.text, begin, std::move(operands));
    whole.type = callee.type;
    return whole;
  }

  /// Parses the comma-separated expressions in the brackets at the current token.
  std::vector<Expression> bracketed() {
    const std::size_t close = source_.partners[at_];
    std::vector<Expression> parts;
    std::size_t begin = at_ + 1;
    for (std::size_t i = begin; i <= close && begin < close; i = source_.partners[i] + 1) {
      if (i < close && source_.tokens[i].text != ",") {
        continue;
      }
      auto part = ExpressionParser(source_, begin, i).parseAll();
      parts.push_back(part ? std::move(*part) : Expression{.begin = begin, .end = i});
      begin = i + 1;
    }
    at_ = close + 1;
    return parts;
  }

  Parsed primary() {
    if (at_ >= end_) {
      return std::nullopt;
    }
    const Token& token = source_.tokens[at_];
    if (token.kind == TokenKind::number) {
      Expression number = parseNumber(token);
      number.begin = at_++;
      number.end = at_;
      return number;
    }
    if (token.text == "(") {
      return parenthesized();
    }
    if (token.text == "[") {
      return lambda();
    }
    return token.kind == TokenKind::identifier ? name() : std::nullopt;
  }

  Parsed parenthesized() {
    const std::size_t begin = at_;
    const std::size_t close = source_.partners[at_];
    if (close == at_ + 2 && isOneOf(kArithmeticTypes, next(1))) {  // a cast
      const std::string type(next(1));
      at_ = close + 1;
      Parsed operand = unary();
      return operand ? Parsed(node(Kind::call, type, begin, {std::move(*operand)})) : std::nullopt;
    }
    auto inside = bracketed();
    if (inside.size() != 1 || inside[0].kind == Kind::unknown) {
      return std::nullopt;
    }
    inside[0].begin = begin;
    inside[0].end = at_;
    return std::move(inside[0]);
  }

  Parsed name() {
    const std::size_t begin = at_;
    std::string text(next());
    ++at_;
    while (next() == "::" && at_ + 1 < end_) {
      text.append("::").append(next(1));
      at_ += 2;
    }
    if (text == "true" || text == "false") {
      Expression value = node(Kind::boolean, text, begin);
      value.integer = text == "true" ? 1 : 0;
      return value;
    }
    if (text == "std::nullopt") {
      return node(Kind::none, text, begin);
    }
    std::string type;
    if (next() == "<" && (text == "static_cast" || text.starts_with("std::"))) {
      type = templateArgument();
      if (type.empty()) {
        return std::nullopt;
      }
    }
    Expression value = node(Kind::name, text, begin);
    value.type = type;
    return value;
  }

  /// Parses `<…>` before a `(` and returns its text; "" if it is something else.
  std::string templateArgument() {
    std::size_t close = at_;
    int depth = 0;
    for (; close < end_; ++close) {
      const std::string_view text = source_.tokens[close].text;
      depth += text == "<" ? 1 : text == ">" ? -1 : 0;
      if (depth == 0 || text == ";" || text == "(") {
        break;
      }
    }
    if (depth != 0 || close + 1 >= end_ || source_.tokens[close + 1].text != "(") {
      return "";
    }
    std::string text;
    for (std::size_t i = at_ + 1; i < close; ++i) {
      text += source_.tokens[i].text;
    }
    at_ = close + 1;
    return text;
  }

  Parsed lambda() {
    const std::size_t begin = at_;
    at_ = source_.partners[at_] + 1;
    auto function = std::make_shared<CodeFunction>();
    if (next() == "(") {
      function->parameters = parameterNames(source_, at_ + 1, source_.partners[at_]);
      at_ = source_.partners[at_] + 1;
    }
    while (at_ < end_ && next() != "{") {  // return type
      at_ = source_.partners[at_] + 1;
    }
    if (at_ >= end_) {
      return std::nullopt;
    }
    function->body = parseStatements(source_, at_ + 1, source_.partners[at_]);
    at_ = source_.partners[at_] + 1;
    Expression value = node(Kind::lambda, "[]", begin);
    value.lambda = std::move(function);
    return value;
  }

  const Source& source_;
  std::size_t at_, end_;
};

}  // namespace

bool isOneOf(std::span<const std::string_view> texts, std::string_view text) {
  return !text.empty() && std::ranges::find(texts, text) != texts.end();
}

Expression parseExpression(const Source& source, std::size_t begin, std::size_t end) {
  auto parsed = ExpressionParser(source, begin, end).parseAll();
  if (!parsed) {
    return {.begin = begin, .end = end};
  }
  parsed->begin = begin;  // with the brackets around it
  parsed->end = end;
  return std::move(*parsed);
}

}  // namespace hone::split
