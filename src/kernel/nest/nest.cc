#include "kernel/nest/nest.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace hone::kernel::nest {

std::optional<int> findPrecedence(std::string_view binaryOperator) {
  static const std::map<std::string_view, int> kPrecedences = {
      {"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<", 4}, {">", 4}, {"<=", 4},
      {">=", 4}, {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6}, {"%", 6}};
  const auto found = kPrecedences.find(binaryOperator);
  return found == kPrecedences.end() ? std::nullopt : std::optional(found->second);
}

Expr number(std::int64_t value) {
  if (value < 0) {
    return {Expr::Kind::unary, "-", {number(-value)}};
  }
  return {Expr::Kind::number, fmt::format("{}", value), {}};
}

Expr name(std::string text) { return {Expr::Kind::name, std::move(text), {}}; }

Expr index(std::string array, Expr at) {
  return {Expr::Kind::index, std::move(array), {std::move(at)}};
}

Expr call(std::string function, std::vector<Expr> args) {
  return {Expr::Kind::call, std::move(function), std::move(args)};
}

Expr binary(std::string op, Expr left, Expr right) {
  Expr result{Expr::Kind::binary, std::move(op), {}, left.line};
  result.args.push_back(std::move(left));
  result.args.push_back(std::move(right));
  return result;
}

Stmt loopOver(std::string variable, Expr from, Expr to, std::vector<Stmt> body) {
  Stmt result;
  result.kind = Stmt::Kind::loop;
  result.type = "std::int64_t";
  result.name = std::move(variable);
  result.from = std::move(from);
  result.to = std::move(to);
  result.step = number(1);
  result.body = std::move(body);
  return result;
}

Stmt declare(std::string type, std::string name, Expr value) {
  Stmt result;
  result.kind = Stmt::Kind::declare;
  result.type = std::move(type);
  result.name = std::move(name);
  result.value = std::move(value);
  result.hasValue = true;
  return result;
}

Stmt assign(Expr target, std::string op, Expr value) {
  Stmt result;
  result.kind = Stmt::Kind::assign;
  result.target = std::move(target);
  result.op = std::move(op);
  result.value = std::move(value);
  return result;
}

Stmt raw(std::vector<std::string> lines) {
  Stmt result;
  result.lines = std::move(lines);
  return result;
}

}  // namespace hone::kernel::nest
