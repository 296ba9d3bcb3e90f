#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Kernels as loop nests: a small subset of C++ that can be parsed, rewritten and printed.
namespace hone::kernel::nest {

/// An expression. Comparison ignores line numbers.
struct Expr {
  enum class Kind : std::uint8_t { number, name, index, call, unary, binary, ternary, cast };
  Kind kind = Kind::number;
  std::string text;  ///< number, name, array, function, operator or type
  std::vector<Expr> args;
  int line = 0;

  friend bool operator==(const Expr& a, const Expr& b) {
    return a.kind == b.kind && a.text == b.text && a.args == b.args;
  }
};

/// Returns the precedence of a binary operator, 1 for the lowest; nothing for an operator outside
/// the subset.
[[nodiscard]] std::optional<int> findPrecedence(std::string_view binaryOperator);

[[nodiscard]] Expr number(std::int64_t value);
[[nodiscard]] Expr name(std::string text);
[[nodiscard]] Expr index(std::string array, Expr at);
[[nodiscard]] Expr call(std::string function, std::vector<Expr> args);
[[nodiscard]] Expr binary(std::string op, Expr left, Expr right);

/// A statement. The kind determines the fields in use. Comparison ignores line numbers.
struct Stmt {
  enum class Kind : std::uint8_t {
    loop,     ///< for (type name = from; name < to; name += step) body
    declare,  ///< type name = value; an array has a size
    assign,   ///< target op value
    branch,   ///< if (value) body else otherwise
    block,    ///< { body }
    raw,      ///< opaque lines written by a rewrite
  };
  Kind kind = Kind::raw;
  std::string type;
  std::string name;
  std::string op;
  Expr target;
  Expr value;
  Expr size;
  Expr from;
  Expr to;
  Expr step;
  bool constant = false;
  bool hasValue = false;  ///< of a declaration
  bool array = false;
  bool sizeIsArgument = false;  ///< std::vector<float> t(size), not float t[size]
  std::vector<Stmt> body;
  std::vector<Stmt> otherwise;
  std::vector<std::string> lines;  ///< text of raw; pragmas before a loop
  int line = 0;

  friend bool operator==(const Stmt& a, const Stmt& b) {
    return a.kind == b.kind && a.type == b.type && a.name == b.name && a.op == b.op &&
           a.target == b.target && a.value == b.value && a.size == b.size && a.from == b.from &&
           a.to == b.to && a.step == b.step && a.constant == b.constant &&
           a.hasValue == b.hasValue && a.array == b.array && a.sizeIsArgument == b.sizeIsArgument &&
           a.body == b.body && a.otherwise == b.otherwise && a.lines == b.lines;
  }
};

[[nodiscard]] Stmt loopOver(std::string variable, Expr from, Expr to, std::vector<Stmt> body);
[[nodiscard]] Stmt declare(std::string type, std::string name, Expr value);
[[nodiscard]] Stmt assign(Expr target, std::string op, Expr value);
[[nodiscard]] Stmt raw(std::vector<std::string> lines);

struct Parameter {
  std::string type;  ///< "const float*", "std::int64_t"
  std::string name;

  [[nodiscard]] bool pointer() const { return type.ends_with('*'); }
  bool operator==(const Parameter&) const = default;
};

/// A file with one kernel in it.
struct Function {
  std::string before;                ///< unchanged text before the kernel
  std::string after;                 ///< unchanged text after the kernel
  std::vector<std::string> helpers;  ///< code that rewrites need, printed before the kernel
  std::vector<Parameter> parameters;
  std::vector<Stmt> body;

  bool operator==(const Function&) const = default;
};

}  // namespace hone::kernel::nest
