#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "split/source/code_tree.h"
#include "split/source/code_value.h"

namespace hone::split {

/// Returns a function that the source defines; null if there is none.
using FunctionFinder = std::function<std::shared_ptr<const CodeFunction>(const std::string& name)>;

/// Evaluates expressions and executes statements, with the types and rounding of C++. Values that
/// it cannot compute are unknown; they do not fail unless a decision depends on them.
class CodeRun {
 public:
  /// Names with a value if the code itself does not give them one: the sizes of the operation.
  using Inputs = std::map<std::string, CodeValue, std::less<>>;

  CodeRun(Inputs inputs, FunctionFinder functions)
      : inputs_(std::move(inputs)), functions_(std::move(functions)), scopes_(1) {}

  /// Result of a statement: whether it returned, and the value.
  struct Ending {
    bool returned = false;
    CodeValue value = {};
  };

  /// Defines a variable in the current scope.
  void define(const std::string& name, CodeValue value);
  [[nodiscard]] CodeValue evaluate(const Expression& expression);
  /// Executes a statement. A condition that is unknown makes the variables set in its branches
  /// unknown and, if there is a return in them, the returned value.
  Ending execute(const Statement& statement);

  /// Returns the variable; unknown if there is none.
  [[nodiscard]] const CodeValue& lookUp(std::string_view name) const;
  [[nodiscard]] bool isDeclared(std::string_view name) const;

 private:
  using Kind = CodeValue::Kind;

  [[nodiscard]] CodeValue unary(const Expression& expression);
  [[nodiscard]] CodeValue binary(const Expression& expression);
  [[nodiscard]] CodeValue logical(const Expression& expression);
  [[nodiscard]] CodeValue call(const Expression& expression);
  [[nodiscard]] CodeValue method(const Expression& expression);
  [[nodiscard]] CodeValue invoke(const CodeFunction& function, const std::vector<CodeValue>& values,
                                 const Expression& expression);
  Ending executeAll(const std::vector<Statement>& statements);
  Ending executeCondition(const Statement& statement);
  Ending executeLoop(const Statement& statement);
  void assign(const Statement& statement);
  void declare(const Statement& statement);
  /// Makes all variables unknown that the statements set; returns true if one of them returns.
  bool forget(std::span<const Statement> statements, std::size_t cause);
  void forgetVariable(const std::string& name, std::size_t cause);
  CodeValue* find(std::string_view name);

  Inputs inputs_;
  FunctionFinder functions_;
  std::vector<std::map<std::string, CodeValue, std::less<>>> scopes_;
  int depth_ = 0;  ///< of calls
};

}  // namespace hone::split
