#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "split/source/source.h"

namespace hone::split {

struct Statement;

/// Body and parameter names of a function or a lambda.
struct CodeFunction {
  std::vector<std::string> parameters;
  std::vector<Statement> body;
};

/// A C++ expression. Covers what the compiler's heuristics use; everything else is `unknown`.
struct Expression {
  enum class Kind : std::uint8_t {
    unknown,
    integer,
    real,
    boolean,
    none,         ///< std::nullopt
    name,         ///< qualified name
    unary,        ///< `text` is the operator
    binary,       ///< `text` is the operator
    conditional,  ///< condition ? first : second
    call,         ///< `text` is the function, the operands are arguments
    method,       ///< `text` is the method; the first operand is the object
    member,       ///< `text` is the member of the first operand
    index,        ///< object and index
    lambda,
  };
  Kind kind = Kind::unknown;
  std::string text = {};
  std::string type = {};  ///< template argument of a call: "int64_t" in std::min<int64_t>
  std::int64_t integer = 0;
  bool isInt = false;  ///< the literal has type int
  double real = 0;
  std::vector<Expression> operands = {};
  std::shared_ptr<const CodeFunction> lambda = {};
  std::size_t begin = 0, end = 0;  ///< tokens
};

struct Statement {
  enum class Kind : std::uint8_t {
    other,        ///< not understood, or of no effect on values
    declaration,  ///< of one variable
    assignment,   ///< `op` is "=", "+=", …
    condition,    ///< if; `value` is the condition
    block,
    rangeLoop,  ///< for (TYPE name : value) body
    loop,       ///< any other loop
    returns,
    unsupported,  ///< switch, do, try, goto
  };
  Kind kind = Kind::other;
  std::string name = {};  ///< declared or assigned variable
  std::string type = {};  ///< "int64_t", "SmallVector<int64_t>", without const
  std::string op = {};
  bool isConstant = false;
  std::optional<Expression> value = {};
  std::vector<Statement> body = {}, otherwise = {};
  std::vector<std::string> changes = {};  ///< variables that a statement `other` may change
  std::size_t begin = 0, end = 0;         ///< tokens
  std::size_t elseAt = 0;                 ///< token `else` of a condition; 0: none
};

/// Parses the statements in the tokens from `begin` to `end`, which must have balanced brackets.
/// Never fails: code outside the subset becomes a statement `other` or an expression `unknown`.
[[nodiscard]] std::vector<Statement> parseStatements(const Source& source, std::size_t begin,
                                                     std::size_t end);

/// Calls `visit` for the expression and all expressions in it.
template <typename Visit>
void forEach(const Expression& expression, const Visit& visit) {
  visit(expression);
  for (const Expression& operand : expression.operands) {
    forEach(operand, visit);
  }
}

/// Returns the source text of the tokens from `begin` to `end`, on one line.
[[nodiscard]] std::string quoteTokens(const Source& source, std::size_t begin, std::size_t end);

/// Returns the names of the parameters in the tokens from `begin` to `end`; "" for one without.
[[nodiscard]] std::vector<std::string> parameterNames(const Source& source, std::size_t begin,
                                                      std::size_t end);

}  // namespace hone::split
