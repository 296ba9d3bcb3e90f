#include "kernel/nest/nest_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/text/text.h"
#include "cpp_source/lexer.h"

namespace hone::kernel::nest {
namespace {

using cpp_source::Token;
using cpp_source::TokenKind;

constexpr std::array<std::string_view, 12> kTypes = {
    "float",        "double",      "int",    "long",    "bool",         "unsigned",
    "std::int64_t", "std::size_t", "size_t", "int64_t", "std::int32_t", "auto"};

bool isIn(std::span<const std::string_view> list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

/// Maximum nesting of expressions and statements; prevents stack overflow.
constexpr int kMaxDepth = 200;

class Parser {
 public:
  explicit Parser(std::span<const Token> tokens) : tokens_(tokens) {}

  Result<std::vector<Parameter>> parameters() {
    std::vector<Parameter> all;
    while (!is(")")) {
      Parameter parameter;
      parameter.type = HONE_TRY(typeName());
      if (is("__restrict__") || is("__restrict")) {
        ++at_;
      }
      parameter.name = HONE_TRY(word());
      all.push_back(std::move(parameter));
      if (!is(")")) {
        HONE_CHECK(expect(","));
      }
    }
    ++at_;
    return all;
  }

  /// Parses a block including its braces.
  Result<std::vector<Stmt>> block() {
    HONE_CHECK(expect("{"));
    std::vector<Stmt> all;
    while (!is("}")) {
      HONE_CHECK(statement(all));
    }
    ++at_;
    return all;
  }

  std::size_t& at() { return at_; }

 private:
  [[nodiscard]] const Token& token(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  [[nodiscard]] bool is(std::string_view text, std::size_t ahead = 0) const {
    return token(ahead).text == text;
  }
  [[nodiscard]] std::unexpected<Error> unsupported(std::string_view what) const {
    return userError("line {}: unsupported {} at '{}'", token().line, what, token().text);
  }
  Result<void> expect(std::string_view text) {
    if (!is(text)) {
      return userError("line {}: expected '{}', got '{}'", token().line, text, token().text);
    }
    ++at_;
    return {};
  }
  Result<std::string> word() {
    if (token().kind != TokenKind::identifier) {
      return unsupported("syntax");
    }
    return std::string(tokens_[at_++].text);
  }
  /// Returns a name with its namespaces, like "std::exp", and its number of tokens.
  [[nodiscard]] std::pair<std::string, std::size_t> qualifiedName() const {
    std::string text(token().text);
    std::size_t length = 1;
    while (is("::", length) && token(length + 1).kind == TokenKind::identifier) {
      text += fmt::format("::{}", token(length + 1).text);
      length += 2;
    }
    return {text, length};
  }
  [[nodiscard]] bool startsType() const {
    return is("const") || is("constexpr") || isIn(kTypes, qualifiedName().first) ||
           qualifiedName().first == "std::vector";
  }

  Result<std::string> typeName() {
    const bool constant = is("const") || is("constexpr");
    at_ += constant ? 1 : 0;
    auto [text, length] = qualifiedName();
    at_ += length;
    if (text == "std::vector") {
      HONE_CHECK(expect("<"));
      text = fmt::format("std::vector<{}>", HONE_TRY(word()));
      HONE_CHECK(expect(">"));
    } else if (!isIn(kTypes, text)) {
      at_ -= length;
      return unsupported("type");
    }
    if (is("const")) {
      ++at_;
    }
    if (is("*")) {
      ++at_;
      text = fmt::format("{}{}*", constant ? "const " : "", text);
    } else if (constant) {
      lastConstant_ = true;
    }
    return text;
  }

  Result<void> statement(std::vector<Stmt>& out) {
    const DepthGuard guard(depth_);
    if (depth_ > kMaxDepth) {
      return unsupported("nesting depth");
    }
    const int line = token().line;
    if (is("for")) {
      out.push_back(HONE_TRY(loop()));
    } else if (is("if")) {
      out.push_back(HONE_TRY(branch()));
    } else if (is("{")) {
      Stmt scope;
      scope.kind = Stmt::Kind::block;
      scope.body = HONE_TRY(block());
      out.push_back(std::move(scope));
    } else if (startsType()) {
      HONE_CHECK(declaration(out));
    } else if (is(";")) {
      ++at_;
      return {};
    } else {
      out.push_back(HONE_TRY(assignment()));
      HONE_CHECK(expect(";"));
    }
    out.back().line = line;
    return {};
  }

  Result<std::vector<Stmt>> body() {
    if (is("{")) {
      return block();
    }
    std::vector<Stmt> one;
    HONE_CHECK(statement(one));
    return one;
  }

  Result<Stmt> loop() {
    ++at_;
    Stmt result;
    result.kind = Stmt::Kind::loop;
    HONE_CHECK(expect("("));
    result.type = HONE_TRY(typeName());
    result.name = HONE_TRY(word());
    HONE_CHECK(expect("="));
    result.from = HONE_TRY(expression());
    HONE_CHECK(expect(";"));
    if (!is(result.name) || (!is("<", 1) && !is("<=", 1))) {
      return unsupported("loop condition");
    }
    const bool inclusive = is("<=", 1);
    at_ += 2;
    result.to = HONE_TRY(expression());
    if (inclusive) {
      result.to = binary("+", std::move(result.to), number(1));
    }
    HONE_CHECK(expect(";"));
    const Stmt step = HONE_TRY(assignment());
    if (step.op != "+=" || step.target != nest::name(result.name)) {
      return unsupported("loop increment");
    }
    result.step = step.value;
    HONE_CHECK(expect(")"));
    result.body = HONE_TRY(body());
    return result;
  }

  Result<Stmt> branch() {
    ++at_;
    Stmt result;
    result.kind = Stmt::Kind::branch;
    HONE_CHECK(expect("("));
    result.value = HONE_TRY(expression());
    HONE_CHECK(expect(")"));
    result.body = HONE_TRY(body());
    if (is("else")) {
      ++at_;
      result.otherwise = HONE_TRY(body());
    }
    return result;
  }

  Result<void> declaration(std::vector<Stmt>& out) {
    lastConstant_ = false;
    const int line = token().line;
    const std::string type = HONE_TRY(typeName());
    while (true) {
      Stmt result;
      result.kind = Stmt::Kind::declare;
      result.type = type;
      result.constant = lastConstant_;
      result.line = line;
      result.name = HONE_TRY(word());
      HONE_CHECK(declarator(result));
      out.push_back(std::move(result));
      if (is(";")) {
        ++at_;
        return {};
      }
      HONE_CHECK(expect(","));
    }
  }

  Result<void> declarator(Stmt& result) {
    if (is("=")) {
      ++at_;
      result.value = HONE_TRY(expression());
      result.hasValue = true;
    } else if (is("[")) {
      ++at_;
      result.array = true;
      result.size = HONE_TRY(expression());
      HONE_CHECK(expect("]"));
    } else if (is("(") && result.type.starts_with("std::vector")) {
      ++at_;
      result.array = true;
      result.sizeIsArgument = true;
      result.size = HONE_TRY(expression());
      if (is(",")) {
        ++at_;
        result.value = HONE_TRY(expression());
        result.hasValue = true;
      }
      HONE_CHECK(expect(")"));
    }
    if (!is(";") && !is(",")) {
      return unsupported("declaration");
    }
    return {};
  }

  /// Parses an assignment; ++x and x++ become x += 1.
  Result<Stmt> assignment() {
    Stmt result;
    result.kind = Stmt::Kind::assign;
    if (is("++")) {
      ++at_;
      result.target = HONE_TRY(primary());
      result.op = "+=";
      result.value = number(1);
      return result;
    }
    result.target = HONE_TRY(primary());
    if (result.target.kind != Expr::Kind::name && result.target.kind != Expr::Kind::index) {
      return unsupported("statement");
    }
    if (is("++")) {
      ++at_;
      result.op = "+=";
      result.value = number(1);
      return result;
    }
    constexpr std::array<std::string_view, 5> kAssignments = {"=", "+=", "-=", "*=", "/="};
    if (!isIn(kAssignments, token().text)) {
      return unsupported("statement");
    }
    result.op = std::string(tokens_[at_++].text);
    result.value = HONE_TRY(expression());
    return result;
  }

  Result<Expr> expression() {
    const DepthGuard guard(depth_);
    if (depth_ > kMaxDepth) {
      return unsupported("expression depth");
    }
    Expr condition = HONE_TRY(operation(1));
    if (!is("?")) {
      return condition;
    }
    ++at_;
    Expr result{Expr::Kind::ternary, "?", {}, condition.line};
    Expr yes = HONE_TRY(expression());
    HONE_CHECK(expect(":"));
    Expr no = HONE_TRY(expression());
    result.args = {std::move(condition), std::move(yes), std::move(no)};
    return result;
  }

  Result<Expr> operation(int leastPrecedence) {
    Expr left = HONE_TRY(unary());
    while (true) {
      const std::optional<int> precedence = findPrecedence(token().text);
      if (!precedence || *precedence < leastPrecedence) {
        return left;
      }
      const Token& op = tokens_[at_++];
      Expr right = HONE_TRY(operation(*precedence + 1));
      left = binary(std::string(op.text), std::move(left), std::move(right));
      left.line = op.line;
    }
  }

  Result<Expr> unary() {
    const DepthGuard guard(depth_);
    if (depth_ > kMaxDepth) {
      return unsupported("expression depth");
    }
    if (is("-") || is("!") || is("&")) {
      const Token& op = tokens_[at_++];
      Expr operand = HONE_TRY(unary());
      return Expr{Expr::Kind::unary, std::string(op.text), {std::move(operand)}, op.line};
    }
    if (is("(") && isIn(kTypes, token(1).text) && is(")", 2)) {
      const Token& type = token(1);
      at_ += 3;
      Expr operand = HONE_TRY(unary());
      return Expr{Expr::Kind::cast, std::string(type.text), {std::move(operand)}, type.line};
    }
    return primary();
  }

  Result<Expr> primary() {
    const Token first = token();
    if (first.kind == TokenKind::number) {
      ++at_;
      return Expr{Expr::Kind::number, std::string(first.text), {}, first.line};
    }
    if (is("(")) {
      ++at_;
      Expr inner = HONE_TRY(expression());
      HONE_CHECK(expect(")"));
      return inner;
    }
    if (first.kind != TokenKind::identifier) {
      return unsupported("syntax");
    }
    if (is("static_cast")) {
      ++at_;
      HONE_CHECK(expect("<"));
      const std::string type = HONE_TRY(typeName());
      HONE_CHECK(expect(">"));
      HONE_CHECK(expect("("));
      Expr operand = HONE_TRY(expression());
      HONE_CHECK(expect(")"));
      return Expr{Expr::Kind::cast, type, {std::move(operand)}, first.line};
    }
    const auto [text, length] = qualifiedName();
    at_ += length;
    return suffix(text, first.line);
  }

  Result<Expr> suffix(std::string text, int line) {
    if (is("<") && (text == "std::max" || text == "std::min") && is(">", 2)) {
      text += fmt::format("<{}>", token(1).text);
      at_ += 3;
    }
    if (is("[")) {
      ++at_;
      Expr inner = HONE_TRY(expression());
      HONE_CHECK(expect("]"));
      if (is("[") || is("(") || is(".")) {
        return unsupported("syntax");
      }
      return Expr{Expr::Kind::index, std::move(text), {std::move(inner)}, line};
    }
    if (!is("(")) {
      return is(".") || is("->") ? Result<Expr>(unsupported("syntax"))
                                 : Expr{Expr::Kind::name, std::move(text), {}, line};
    }
    ++at_;
    Expr result{Expr::Kind::call, std::move(text), {}, line};
    while (!is(")")) {
      result.args.push_back(HONE_TRY(expression()));
      if (!is(")")) {
        HONE_CHECK(expect(","));
      }
    }
    ++at_;
    return result;
  }

  /// Tracks the nesting depth.
  class DepthGuard {
   public:
    explicit DepthGuard(int& depth) : depth_(depth) { ++depth_; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;
    ~DepthGuard() { --depth_; }

   private:
    int& depth_;
  };

  std::span<const Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool lastConstant_ = false;
};

/// Returns the tokens without the inside of directives, followed by an empty end token.
Result<std::vector<Token>> tokenize(std::string_view text) {
  cpp_source::LexedText lexed = cpp_source::lex(text);
  if (lexed.unterminated) {
    const bool isComment = lexed.unterminated->kind == cpp_source::Unterminated::Kind::comment;
    return userError("line {}: unterminated {}", lexed.unterminated->line,
                     isComment ? "comment" : "literal");
  }
  std::erase_if(lexed.tokens, &Token::inDirective);
  Token end{.text = {}, .begin = text.size(), .end = text.size()};
  end.line += static_cast<int>(std::ranges::count(text, '\n'));
  lexed.tokens.push_back(std::move(end));
  return std::move(lexed.tokens);
}

/// Returns the index of the token `kernel` in `void kernel(`.
std::optional<std::size_t> findKernel(std::span<const Token> tokens) {
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text == "kernel" && tokens[i - 1].text == "void" && tokens[i + 1].text == "(") {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Function> parse(std::string_view text) {
  const std::vector<Token> tokens = HONE_TRY(tokenize(text));
  const auto found = findKernel(tokens);
  if (!found) {
    return userError("no function 'void kernel(…)' found");
  }
  std::size_t first = *found - 1;
  while (first > 0 && (tokens[first - 1].text == "extern" || tokens[first - 1].text == "\"C\"")) {
    --first;
  }
  Parser parser(tokens);
  parser.at() = *found + 2;
  Function function;
  function.parameters = HONE_TRY(parser.parameters());
  function.body = HONE_TRY(parser.block());
  function.before = std::string(text.substr(0, tokens[first].begin));
  const std::size_t end = tokens[parser.at() - 1].end;
  function.after = std::string(text.substr(end));
  constexpr std::string_view kFixed = "// hone: fixed sizes";
  if (text.substr(tokens[first].begin, end - tokens[first].begin).contains(kFixed)) {
    function.before += fmt::format("{}\n", kFixed);
  }
  return function;
}

}  // namespace hone::kernel::nest
