#include "split/source/code_run.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace hone::split {
namespace {

constexpr int kMaxCallDepth = 16;

CodeValue unknownValue(const Expression& expression) { return {.cause = expression.begin}; }

}  // namespace

void CodeRun::define(const std::string& name, CodeValue value) {
  scopes_.back()[name] = std::move(value);
}

CodeValue* CodeRun::find(std::string_view name) {
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    if (const auto at = scopes_[i].find(name); at != scopes_[i].end()) {
      return &at->second;
    }
  }
  return nullptr;
}

const CodeValue& CodeRun::lookUp(std::string_view name) const {
  static const CodeValue kNoValue;
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    if (const auto at = scopes_[i].find(name); at != scopes_[i].end()) {
      return at->second;
    }
  }
  return kNoValue;
}

bool CodeRun::isDeclared(std::string_view name) const {
  return std::ranges::any_of(scopes_, [&](const auto& scope) { return scope.contains(name); });
}

CodeValue CodeRun::evaluate(const Expression& expression) {
  using enum Expression::Kind;
  switch (expression.kind) {
    case integer: {
      CodeValue value = integerValue(expression.integer);
      value.isInt = expression.isInt;
      return value;
    }
    case real:
      return realValue(expression.real);
    case boolean:
      return booleanValue(expression.integer != 0);
    case none:
      return {.kind = Kind::none};
    case lambda:
      return {.kind = Kind::function, .function = expression.lambda};
    case name: {
      const CodeValue& value = lookUp(expression.text);
      return value.isKnown() || value.cause != 0 ? value : unknownValue(expression);
    }
    case unary:
      return this->unary(expression);
    case binary:
      return this->binary(expression);
    case conditional: {
      const CodeValue condition = evaluate(expression.operands[0]);
      const auto known = truth(condition);
      return known ? evaluate(expression.operands[*known ? 1 : 2]) : condition;
    }
    case call:
      return this->call(expression);
    case method:
      return this->method(expression);
    case index: {
      const CodeValue list = evaluate(expression.operands[0]);
      const CodeValue at = evaluate(expression.operands[1]);
      if (list.kind == Kind::list && at.kind == Kind::integer && at.integer >= 0 &&
          static_cast<std::size_t>(at.integer) < list.list.size()) {
        return integerValue(list.list[static_cast<std::size_t>(at.integer)]);
      }
      return unknownValue(expression);
    }
    default:
      return unknownValue(expression);
  }
}

CodeValue CodeRun::unary(const Expression& expression) {
  CodeValue operand = evaluate(expression.operands[0]);
  if (expression.text == "!") {
    const auto known = truth(operand);
    return known ? booleanValue(!*known) : operand;
  }
  if (expression.text == "-") {
    const auto negative = compute('-', integerValue(0), operand);
    return negative ? *negative : operand.isKnown() ? unknownValue(expression) : operand;
  }
  return operand;  // + and * (of an optional)
}

CodeValue CodeRun::logical(const Expression& expression) {
  const bool decisive = expression.text == "||";
  const CodeValue left = evaluate(expression.operands[0]);
  const auto leftKnown = truth(left);
  if (leftKnown == decisive) {
    return booleanValue(decisive);
  }
  const CodeValue right = evaluate(expression.operands[1]);
  const auto rightKnown = truth(right);
  if (rightKnown == decisive) {
    return booleanValue(decisive);
  }
  return !leftKnown ? left : !rightKnown ? right : booleanValue(!decisive);
}

CodeValue CodeRun::binary(const Expression& expression) {
  const std::string& op = expression.text;
  if (op == "&&" || op == "||") {
    return logical(expression);
  }
  if (op == "=") {
    CodeValue value = evaluate(expression.operands[1]);
    if (CodeValue* variable = find(expression.operands[0].text)) {
      *variable = value;
    }
    return value;
  }
  const CodeValue left = evaluate(expression.operands[0]);
  const CodeValue right = evaluate(expression.operands[1]);
  if (!left.isKnown() || !right.isKnown()) {
    return left.isKnown() ? right : left;
  }
  const bool arithmetic = op.size() == 1 && std::string_view("+-*/%").contains(op[0]);
  const auto result = arithmetic ? compute(op[0], left, right) : compareValues(op, left, right);
  return result ? *result : unknownValue(expression);
}

CodeValue CodeRun::call(const Expression& expression) {
  std::vector<CodeValue> values;
  for (const Expression& operand : expression.operands) {
    values.push_back(evaluate(operand));
  }
  if (const CodeValue& local = lookUp(expression.text); local.kind == Kind::function) {
    const auto function = local.function;
    return invoke(*function, values, expression);
  }
  if (auto known = callLibrary(expression.text, expression.type, values)) {
    return known->isKnown() ? *known : unknownValue(expression);
  }
  for (const CodeValue& value : values) {
    if (!value.isKnown() && expression.text.starts_with("std::")) {
      return value;  // names the argument, not the function
    }
  }
  const auto defined = functions_(expression.text);
  return defined ? invoke(*defined, values, expression) : unknownValue(expression);
}

CodeValue CodeRun::method(const Expression& expression) {
  CodeValue object = evaluate(expression.operands[0]);
  const std::string& name = expression.text;
  if (object.kind == Kind::list) {
    const auto& list = object.list;
    if (name == "size" || name == "empty") {
      return name == "size" ? integerValue(static_cast<std::int64_t>(list.size()))
                            : booleanValue(list.empty());
    }
    if ((name == "front" || name == "back") && !list.empty()) {
      return integerValue(name == "front" ? list.front() : list.back());
    }
  }
  if (object.isKnown() && name == "has_value") {
    return booleanValue(object.kind != Kind::none);
  }
  if (object.isKnown() && name == "value") {
    return object;
  }
  if (object.isKnown() && name == "value_or" && expression.operands.size() == 2) {
    return object.kind == Kind::none ? evaluate(expression.operands[1]) : object;
  }
  return unknownValue(expression);
}

CodeValue CodeRun::invoke(const CodeFunction& function, const std::vector<CodeValue>& values,
                          const Expression& expression) {
  if (depth_ >= kMaxCallDepth || values.size() > function.parameters.size()) {
    return unknownValue(expression);
  }
  ++depth_;
  auto& scope = scopes_.emplace_back();
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    scope[function.parameters[i]] =
        i < values.size() ? values[i] : CodeValue{.cause = expression.begin};
  }
  const Ending ending = executeAll(function.body);
  scopes_.pop_back();
  --depth_;
  return ending.returned ? ending.value : unknownValue(expression);
}

CodeRun::Ending CodeRun::executeAll(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) {
    Ending ending = execute(statement);
    if (ending.returned) {
      return ending;
    }
  }
  return {};
}

CodeRun::Ending CodeRun::execute(const Statement& statement) {
  using enum Statement::Kind;
  switch (statement.kind) {
    case declaration:
      declare(statement);
      return {};
    case assignment:
      assign(statement);
      return {};
    case condition:
      return executeCondition(statement);
    case block: {
      scopes_.emplace_back();
      Ending ending = executeAll(statement.body);
      scopes_.pop_back();
      return ending;
    }
    case rangeLoop:
    case loop:
      return executeLoop(statement);
    case returns:
      return {.returned = true,
              .value = statement.value ? evaluate(*statement.value) : CodeValue{}};
    case unsupported:
      return {.returned = true, .value = {.cause = statement.begin}};
    case other:
      forget({&statement, 1}, statement.begin);
      return {};
  }
  return {};
}

void CodeRun::declare(const Statement& statement) {
  CodeValue value =
      statement.value ? convert(evaluate(*statement.value), statement.type) : CodeValue{};
  value.isInput = false;
  if (!value.isKnown()) {
    value.cause = statement.value ? value.cause : statement.begin;
    if (const auto input = inputs_.find(statement.name); input != inputs_.end()) {
      value = input->second;
      value.isInput = true;
    }
  }
  scopes_.back()[statement.name] = std::move(value);
}

void CodeRun::assign(const Statement& statement) {
  CodeValue* variable = find(statement.name);
  if (variable == nullptr || !statement.value) {
    return;
  }
  CodeValue value = evaluate(*statement.value);
  if (variable->isInput) {  // its meaning changes
    value = {.cause = statement.begin};
  }
  value.isInput = false;
  if (statement.op != "=" && value.isKnown()) {
    const auto result = compute(statement.op[0], *variable, value);
    value = result ? *result : CodeValue{.cause = statement.begin};
  }
  // Sizes are integers; a real assigned to one is truncated.
  if (variable->kind == Kind::integer && value.kind == Kind::real) {
    value = convert(std::move(value), "int64_t");
  }
  variable = find(statement.name);
  *variable = std::move(value);
}

CodeRun::Ending CodeRun::executeCondition(const Statement& statement) {
  const CodeValue condition = evaluate(*statement.value);
  const auto known = truth(condition);
  if (!known) {
    const bool body = forget(statement.body, condition.cause);
    const bool otherwise = forget(statement.otherwise, condition.cause);
    return {.returned = body || otherwise, .value = {.cause = condition.cause}};
  }
  scopes_.emplace_back();
  Ending ending = executeAll(*known ? statement.body : statement.otherwise);
  scopes_.pop_back();
  return ending;
}

CodeRun::Ending CodeRun::executeLoop(const Statement& statement) {
  const CodeValue range = statement.kind == Statement::Kind::rangeLoop
                              ? evaluate(*statement.value)
                              : CodeValue{.cause = statement.begin};
  if (range.kind != Kind::list) {
    const bool returned = forget(statement.body, statement.begin);
    return {.returned = returned, .value = {.cause = statement.begin}};
  }
  for (const std::int64_t element : range.list) {
    scopes_.emplace_back()[statement.name] = integerValue(element);
    Ending ending = executeAll(statement.body);
    scopes_.pop_back();
    if (ending.returned) {
      return ending;
    }
  }
  return {};
}

void CodeRun::forgetVariable(const std::string& name, std::size_t cause) {
  if (CodeValue* variable = find(name)) {
    const auto input = inputs_.find(name);
    *variable = input == inputs_.end() ? CodeValue{.cause = cause} : input->second;
  }
}

bool CodeRun::forget(std::span<const Statement> statements, std::size_t cause) {
  bool returns = false;
  for (const Statement& statement : statements) {
    returns = returns || statement.kind == Statement::Kind::returns ||
              statement.kind == Statement::Kind::unsupported;
    if (statement.kind == Statement::Kind::assignment) {
      forgetVariable(statement.name, cause);
    }
    for (const std::string& name : statement.changes) {
      forgetVariable(name, cause);
    }
    returns = forget(statement.body, cause) || returns;
    returns = forget(statement.otherwise, cause) || returns;
  }
  return returns;
}

}  // namespace hone::split
