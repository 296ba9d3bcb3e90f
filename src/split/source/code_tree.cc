#include "split/source/code_tree.h"

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
constexpr std::array<std::string_view, 10> kAssignments = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "<<=", ">>="};
constexpr std::array<std::string_view, 6> kUnsupported = {"switch", "do",   "try",
                                                          "goto",   "case", "default"};
constexpr std::array<std::string_view, 8> kArithmeticTypes = {
    "int64_t", "int", "long", "size_t", "unsigned", "double", "float", "bool"};

bool isOneOf(std::span<const std::string_view> texts, std::string_view text) {
  return !text.empty() && std::ranges::find(texts, text) != texts.end();
}

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
  Expression node(Kind kind, std::string_view text, std::size_t begin,
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

Expression parseExpression(const Source& source, std::size_t begin, std::size_t end) {
  auto parsed = ExpressionParser(source, begin, end).parseAll();
  if (!parsed) {
    return {.begin = begin, .end = end};
  }
  parsed->begin = begin;  // with the brackets around it
  parsed->end = end;
  return std::move(*parsed);
}

class StatementParser {
 public:
  StatementParser(const Source& source, std::size_t begin, std::size_t end)
      : source_(source), at_(begin), end_(end) {}

  std::vector<Statement> parseAll() {
    std::vector<Statement> statements;
    while (at_ < end_) {
      statements.push_back(statement());
    }
    return statements;
  }

 private:
  [[nodiscard]] std::string_view textAt(std::size_t at) const {
    return at < end_ ? std::string_view(source_.tokens[at].text) : "";
  }

  Statement statement() {
    const std::size_t begin = at_;
    const std::string_view first = textAt(at_);
    Statement parsed;
    if (first == "{") {
      parsed.kind = Statement::Kind::block;
      parsed.body = StatementParser(source_, at_ + 1, source_.partners[at_]).parseAll();
      at_ = source_.partners[at_] + 1;
    } else if (first == "if" && textAt(at_ + 1) == "(") {
      parsed = condition();
    } else if ((first == "for" || first == "while") && textAt(at_ + 1) == "(") {
      parsed = loop();
    } else if (isOneOf(kUnsupported, first)) {
      parsed.kind = Statement::Kind::unsupported;
      at_ = end_;  // its effect is not known, so the rest does not matter
    } else {
      const std::size_t end = endOfSimple();
      parsed = simple(begin, end);
      at_ = std::min(end + 1, end_);
    }
    parsed.begin = begin;
    parsed.end = at_;
    return parsed;
  }

  Statement condition() {
    Statement parsed{.kind = Statement::Kind::condition};
    const std::size_t close = source_.partners[at_ + 1];
    parsed.value = parseExpression(source_, at_ + 2, close);
    at_ = close + 1;
    parsed.body = branch();
    if (textAt(at_) == "else") {
      parsed.elseAt = at_++;
      parsed.otherwise = branch();
    }
    return parsed;
  }

  Statement loop() {
    Statement parsed{.kind = Statement::Kind::loop};
    const std::size_t open = at_ + 1;
    const std::size_t close = source_.partners[open];
    std::size_t colon = open + 1;
    while (colon < close && textAt(colon) != ":" && textAt(colon) != ";") {
      colon = source_.partners[colon] + 1;
    }
    if (textAt(at_) == "for" && colon < close && textAt(colon) == ":" && colon > open + 1 &&
        source_.tokens[colon - 1].kind == TokenKind::identifier) {
      parsed.kind = Statement::Kind::rangeLoop;
      parsed.name = source_.tokens[colon - 1].text;
      parsed.value = parseExpression(source_, colon + 1, close);
    }
    at_ = close + 1;
    parsed.body = branch();
    return parsed;
  }

  /// Parses the statement of a branch or loop; a block as its contents.
  std::vector<Statement> branch() {
    if (at_ >= end_) {
      return {};
    }
    Statement one = statement();
    if (one.kind == Statement::Kind::block) {
      return std::move(one.body);
    }
    return {std::move(one)};
  }

  /// Returns the index of the `;`, or of the end of a construct that ends with a block.
  [[nodiscard]] std::size_t endOfSimple() const {
    std::size_t i = at_;
    while (i < end_ && textAt(i) != ";") {
      i = source_.partners[i] + 1;
    }
    return std::min(i, end_);
  }

  [[nodiscard]] Statement simple(std::size_t begin, std::size_t end) const {
    const auto parsed = [&](Statement::Kind kind, std::size_t value) {
      Statement statement{.kind = kind};
      if (value < end) {
        statement.value = parseExpression(source_, value, end);
      }
      return statement;
    };
    if (textAt(begin) == "return") {
      return parsed(Statement::Kind::returns, begin + 1);
    }
    if (begin + 1 < end && source_.tokens[begin].kind == TokenKind::identifier &&
        isOneOf(kAssignments, textAt(begin + 1))) {
      Statement assignment = parsed(Statement::Kind::assignment, begin + 2);
      assignment.name = source_.tokens[begin].text;
      assignment.op = source_.tokens[begin + 1].text;
      return assignment;
    }
    auto declared = declaration(begin, end);
    return declared ? std::move(*declared) : other(begin, end);
  }

  /// Returns a statement with the variables that it may change: assigned, incremented, or passed
  /// to a function.
  [[nodiscard]] Statement other(std::size_t begin, std::size_t end) const {
    Statement statement;
    if (textAt(begin) == "assert" || textAt(begin) == "(") {  // (void)name;
      return statement;
    }
    const auto isAny = [&](std::size_t at, std::initializer_list<std::string_view> texts) {
      return at >= begin && at < end && std::ranges::find(texts, textAt(at)) != texts.end();
    };
    for (std::size_t i = begin; i < end; ++i) {
      if (source_.tokens[i].kind != TokenKind::identifier) {
        continue;
      }
      const std::size_t after = isAny(i + 1, {"["}) ? source_.partners[i + 1] + 1 : i + 1;
      const bool assigned = after < end && isOneOf(kAssignments, textAt(after));
      const bool stepped = isAny(i + 1, {"++", "--"}) || (i > begin && isAny(i - 1, {"++", "--"}));
      const bool passed = i > begin && isAny(i - 1, {"(", ",", "&"}) && isAny(i + 1, {")", ","});
      if (assigned || stepped || passed) {
        statement.changes.push_back(source_.tokens[i].text);
      }
    }
    return statement;
  }

  /// Parses `TYPE NAME;`, `TYPE NAME = VALUE;` or `TYPE NAME{VALUE};`.
  [[nodiscard]] std::optional<Statement> declaration(std::size_t at, std::size_t end) const {
    Statement declared{.kind = Statement::Kind::declaration};
    for (; isOneOf(std::array<std::string_view, 3>{"static", "const", "constexpr"}, textAt(at));
         ++at) {
      declared.isConstant = declared.isConstant || textAt(at) != "static";
    }
    const std::size_t name = endOfType(at, end);
    if (name >= end || name == at || source_.tokens[name].kind != TokenKind::identifier) {
      return std::nullopt;
    }
    for (std::size_t i = at; i < name; ++i) {
      declared.type += source_.tokens[i].text;
    }
    declared.name = source_.tokens[name].text;
    const std::string_view after = name + 1 < end ? textAt(name + 1) : "";
    if (after == "=") {
      declared.value = parseExpression(source_, name + 2, end);
    } else if (after == "{" && source_.partners[name + 1] + 1 == end) {
      declared.value = parseExpression(source_, name + 2, end - 1);
    } else if (!after.empty()) {
      declared.value = Expression{.begin = name + 1, .end = end};
    }
    return declared;
  }

  /// Returns the index after a type at `at`; `at` if there is none.
  [[nodiscard]] std::size_t endOfType(std::size_t at, std::size_t end) const {
    std::size_t i = at;
    while (i < end && source_.tokens[i].kind == TokenKind::identifier) {
      ++i;
      if (i < end && textAt(i) == "<") {
        int depth = 0;
        for (; i < end; ++i) {
          depth += textAt(i) == "<" ? 1 : textAt(i) == ">" ? -1 : 0;
          if (depth == 0) {
            ++i;
            break;
          }
        }
      }
      if (i >= end || textAt(i) != "::") {
        break;
      }
      ++i;
    }
    while (i < end &&
           isOneOf(std::array<std::string_view, 4>{"&", "*", "&&", "const"}, textAt(i))) {
      ++i;
    }
    return i;
  }

  const Source& source_;
  std::size_t at_, end_;
};

}  // namespace

std::vector<Statement> parseStatements(const Source& source, std::size_t begin, std::size_t end) {
  return StatementParser(source, begin, end).parseAll();
}

std::string quoteTokens(const Source& source, std::size_t begin, std::size_t end) {
  if (begin >= end || end > source.tokens.size()) {
    return "";
  }
  const std::size_t from = source.tokens[begin].begin;
  const std::string_view text = source.text.substr(from, source.tokens[end - 1].end - from);
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) {
      line += c;
    } else if (!line.ends_with(' ')) {
      line += ' ';
    }
  }
  return line;
}

std::vector<std::string> parameterNames(const Source& source, std::size_t begin, std::size_t end) {
  std::vector<std::string> names;
  std::size_t from = begin;
  for (std::size_t i = begin; i <= end && from < end; i = source.partners[i] + 1) {
    if (i < end && source.tokens[i].text != ",") {
      continue;
    }
    const auto all = std::span(source.tokens).subspan(from, i - from);
    const auto one = all.first(
        static_cast<std::size_t>(std::ranges::find(all, "=", &Token::text) - all.begin()));
    const bool named = one.size() > 1 && one.back().kind == TokenKind::identifier;
    names.push_back(named ? one.back().text : "");
    from = i + 1;
  }
  return names;
}

}  // namespace hone::split
