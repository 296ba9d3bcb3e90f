#include "split/source/code_tree.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "split/source/expression_parser.h"

namespace hone::split {
namespace {

constexpr std::array<std::string_view, 10> kAssignments = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "<<=", ">>="};
constexpr std::array<std::string_view, 6> kUnsupported = {"switch", "do",   "try",
                                                          "goto",   "case", "default"};
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
