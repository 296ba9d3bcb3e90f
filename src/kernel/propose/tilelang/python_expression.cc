#include "kernel/propose/tilelang/python_expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

using Kind = PythonExpr::Kind;

constexpr int kMaxDepth = 100;

/// Binary operators by precedence, the lowest first; longer operators before their prefixes.
constexpr std::array<std::array<std::string_view, 6>, 7> kOperators = {
    {{"or"},
     {"and"},
     {"==", "!=", "<=", ">=", "<", ">"},
     {"|", "^", "&"},
     {"<<", ">>"},
     {"+", "-"},
     {"//", "*", "/", "%", "@"}}};

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  std::optional<PythonExpr> whole() {
    auto parsed = tuple();
    skipBlanks();
    return parsed && at_ == text_.size() ? std::move(parsed) : std::nullopt;
  }

 private:
  void skipBlanks() {
    while (at_ < text_.size() &&
           (std::isspace(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '\\')) {
      ++at_;
    }
    if (at_ < text_.size() && text_[at_] == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      skipBlanks();
    }
  }
  bool accept(std::string_view token) {
    skipBlanks();
    if (!text_.substr(at_).starts_with(token)) {
      return false;
    }
    const std::size_t end = at_ + token.size();
    if (isWordCharacter(token[0]) && end < text_.size() && isWordCharacter(text_[end])) {
      return false;
    }
    at_ = end;
    return true;
  }
  [[nodiscard]] bool sees(char c) {
    skipBlanks();
    return at_ < text_.size() && text_[at_] == c;
  }
  [[nodiscard]] PythonExpr finish(PythonExpr expression, std::size_t begin) const {
    expression.source = trim(text_.substr(begin, at_ - begin));
    return expression;
  }

  /// Parses one expression or several with commas between them.
  std::optional<PythonExpr> tuple() {
    skipBlanks();
    const std::size_t begin = at_;
    auto first = operation(0);
    if (!first || !sees(',')) {
      return first;
    }
    PythonExpr all{.kind = Kind::tuple, .text = "", .source = "", .args = {*std::move(first)}};
    while (accept(",")) {
      skipBlanks();
      if (at_ == text_.size()) {
        break;
      }
      auto next = operation(0);
      if (!next) {
        return std::nullopt;
      }
      all.args.push_back(*std::move(next));
    }
    return finish(std::move(all), begin);
  }

  std::optional<std::string_view> acceptOperator(std::size_t level) {
    for (const std::string_view op : kOperators[level]) {
      const std::size_t before = at_;
      if (op.empty() || !accept(op)) {
        continue;
      }
      // `**`, `a += b` and `a *= b` are not expressions of this grammar.
      if (at_ < text_.size() && (text_[at_] == '=' || (op == "*" && text_[at_] == '*'))) {
        at_ = before;
        return std::nullopt;
      }
      return op;
    }
    return std::nullopt;
  }

  std::optional<PythonExpr> operation(std::size_t level) {
    if (level == kOperators.size()) {
      return unary();
    }
    skipBlanks();
    const std::size_t begin = at_;
    auto left = operation(level + 1);
    while (left) {
      const auto op = acceptOperator(level);
      if (!op) {
        return left;
      }
      auto right = operation(level + 1);
      if (!right) {
        return std::nullopt;
      }
      left = finish({.kind = Kind::binary,
                     .text = std::string(*op),
                     .source = "",
                     .args = {*std::move(left), *std::move(right)}},
                    begin);
    }
    return left;
  }

  std::optional<PythonExpr> unary() {
    skipBlanks();
    const std::size_t begin = at_;
    for (const std::string_view op : {"-", "+", "~", "not"}) {
      if (accept(op)) {
        if (++depth_ > kMaxDepth) {
          return std::nullopt;
        }
        auto operand = unary();
        --depth_;
        if (!operand) {
          return std::nullopt;
        }
        return finish({.kind = Kind::unary,
                       .text = std::string(op),
                       .source = "",
                       .args = {*std::move(operand)}},
                      begin);
      }
    }
    return postfix();
  }

  std::optional<PythonExpr> postfix() {
    skipBlanks();
    const std::size_t begin = at_;
    auto value = primary();
    while (value) {
      if (accept("(")) {
        value =
            arguments({.kind = Kind::call, .text = "", .source = "", .args = {*value}}, ')', begin);
      } else if (accept("[")) {
        value = arguments({.kind = Kind::index, .text = "", .source = "", .args = {*value}}, ']',
                          begin);
      } else if (sees('.')) {
        ++at_;
        skipBlanks();
        const std::string member = word();
        if (member.empty()) {
          return std::nullopt;
        }
        if (value->kind == Kind::name) {
          value->text += "." + member;
          value = finish(*std::move(value), begin);
        } else {
          value =
              finish({.kind = Kind::member, .text = member, .source = "", .args = {*value}}, begin);
        }
      } else {
        return value;
      }
    }
    return value;
  }

  std::optional<PythonExpr> arguments(PythonExpr of, char close, std::size_t begin) {
    if (++depth_ > kMaxDepth) {
      return std::nullopt;
    }
    while (!sees(close)) {
      auto one = argument(close);
      if (!one) {
        return std::nullopt;
      }
      of.args.push_back(*std::move(one));
      if (!sees(close) && !accept(",")) {
        return std::nullopt;
      }
    }
    ++at_;
    --depth_;
    return finish(std::move(of), begin);
  }

  std::optional<PythonExpr> argument(char close) {
    skipBlanks();
    const std::size_t begin = at_;
    if (close == ')' && at_ < text_.size() && isWordCharacter(text_[at_])) {
      const std::string name = word();
      skipBlanks();
      if (at_ + 1 < text_.size() && text_[at_] == '=' && text_[at_ + 1] != '=') {
        ++at_;
        auto value = operation(0);
        if (!value) {
          return std::nullopt;
        }
        return finish(
            {.kind = Kind::keyword, .text = name, .source = "", .args = {*std::move(value)}},
            begin);
      }
      at_ = begin;
    }
    if (close == ']') {
      if (auto found = slice(begin)) {
        return found;
      }
      at_ = begin;
    }
    return operation(0);
  }

  /// Parses `a:b`, `:b`, `a:` or `:`.
  std::optional<PythonExpr> slice(std::size_t begin) {
    if (!sees(':') && !operation(0)) {
      return std::nullopt;
    }
    if (!accept(":")) {
      return std::nullopt;
    }
    if (!sees(']') && !sees(',') && !operation(0)) {
      return std::nullopt;
    }
    return finish({.kind = Kind::slice, .text = "", .source = "", .args = {}}, begin);
  }

  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && isWordCharacter(text_[at_])) {
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::optional<PythonExpr> literal(std::size_t begin) {
    const char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    if (at_ >= text_.size() || text_[at_] != quote) {
      return std::nullopt;
    }
    ++at_;
    const std::string inside(text_.substr(begin + 1, at_ - begin - 2));
    return finish({.kind = Kind::text, .text = inside, .source = "", .args = {}}, begin);
  }

  std::optional<PythonExpr> brackets(char close, std::size_t begin) {
    ++at_;
    auto all = arguments({.kind = Kind::tuple, .text = "", .source = "", .args = {}}, close, begin);
    if (!all) {
      return std::nullopt;
    }
    const bool single =
        all->args.size() == 1 && close == ')' &&
        !trim(std::string_view(all->source).substr(0, all->source.size() - 1)).ends_with(',');
    if (single) {  // parentheses around an expression
      PythonExpr inner = all->args[0];
      inner.source = all->source;
      return inner;
    }
    return all;
  }

  std::optional<PythonExpr> primary() {
    skipBlanks();
    const std::size_t begin = at_;
    if (at_ >= text_.size()) {
      return std::nullopt;
    }
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      return literal(begin);
    }
    if (c == '(' || c == '[') {
      return brackets(c == '(' ? ')' : ']', begin);
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      while (at_ < text_.size() && (isWordCharacter(text_[at_]) || text_[at_] == '.' ||
                                    ((text_[at_] == '-' || text_[at_] == '+') && at_ > begin &&
                                     (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E')))) {
        ++at_;
      }
      const std::string number(text_.substr(begin, at_ - begin));
      return PythonExpr{.kind = Kind::number, .text = number, .source = number, .args = {}};
    }
    const std::string name = word();
    constexpr std::array<std::string_view, 6> kKeywords = {"lambda", "if", "else",
                                                           "for",    "in", "is"};
    if (name.empty() || std::ranges::find(kKeywords, name) != kKeywords.end()) {
      return std::nullopt;
    }
    return PythonExpr{.kind = Kind::name, .text = name, .source = name, .args = {}};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

struct Term {
  const PythonExpr* value = nullptr;
  bool negative = false;
};

void collectTerms(const PythonExpr& sum, bool negative, std::vector<Term>& terms) {
  if (sum.kind == Kind::binary && (sum.text == "+" || sum.text == "-")) {
    collectTerms(sum.args[0], negative, terms);
    collectTerms(sum.args[1], negative != (sum.text == "-"), terms);
    return;
  }
  terms.push_back({&sum, negative});
}

}  // namespace

bool PythonExpr::isIndexOf(std::string_view variable) const {
  return kind == Kind::index && args[0].kind == Kind::name &&
         (variable.empty() || args[0].text == variable);
}

std::string_view PythonExpr::callee() const {
  return kind == Kind::call && args[0].kind == Kind::name ? std::string_view(args[0].text) : "";
}

bool PythonExpr::mentions(std::string_view name) const {
  if (kind == Kind::name) {
    const std::vector<std::string> parts = splitAt(text, '.');
    return std::ranges::find(parts, name) != parts.end();
  }
  if (kind == Kind::slice) {
    return source.contains(name);
  }
  return std::ranges::any_of(args, [&](const PythonExpr& arg) { return arg.mentions(name); });
}

std::optional<PythonExpr> parsePython(std::string_view text) {
  return ExpressionParser(text).whole();
}

std::optional<std::string> offsetFrom(const PythonExpr& sum, std::string_view variable) {
  std::vector<Term> terms;
  collectTerms(sum, false, terms);
  std::string offset;
  int found = 0;
  for (const Term& term : terms) {
    if (term.value->kind == Kind::name && term.value->text == variable && !term.negative) {
      ++found;
    } else if (term.value->mentions(variable)) {
      return std::nullopt;
    } else if (offset.empty()) {
      offset = term.negative ? "-" + term.value->source : term.value->source;
    } else {
      offset += (term.negative ? " - " : " + ") + term.value->source;
    }
  }
  if (found != 1) {
    return std::nullopt;
  }
  return offset.empty() ? "0" : offset;
}

}  // namespace hone::kernel
