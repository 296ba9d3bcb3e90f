#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/nest/nest.h"

namespace hone::kernel::nest {

/// Called with an expression; `written` is true for the target of an assignment.
using ExprVisitor = std::function<void(const Expr& expression, bool written)>;

/// Visits all expressions, outer ones first. The target of `x += …` is visited as written and as
/// read.
void visit(const Expr& expression, const ExprVisitor& visitor);
void visit(const Stmt& statement, const ExprVisitor& visitor);
void visit(const std::vector<Stmt>& body, const ExprVisitor& visitor);

/// Visits all statements, outer ones first.
void visitStatements(const std::vector<Stmt>& body,
                     const std::function<void(const Stmt&)>& visitor);
/// Visits all statement lists for modification, inner ones first.
void visitBodies(std::vector<Stmt>& body, const std::function<void(std::vector<Stmt>&)>& visitor);

using ExprChanger = std::function<void(Expr& expression)>;

/// Applies the changer to all expressions, inner ones first.
void change(Expr& expression, const ExprChanger& changer);
void change(Stmt& statement, const ExprChanger& changer);
void change(std::vector<Stmt>& body, const ExprChanger& changer);

/// Replaces every use of the name by the value.
void substitute(Expr& expression, std::string_view name, const Expr& value);
void substitute(std::vector<Stmt>& body, std::string_view name, const Expr& value);
/// Renames a scalar or array everywhere, including its declaration.
void rename(std::vector<Stmt>& body, std::string_view from, const std::string& to);

/// Returns the names of scalars and arrays that are written, including local declarations.
[[nodiscard]] std::set<std::string> writtenIn(const std::vector<Stmt>& body);
[[nodiscard]] std::set<std::string> namesIn(const Expr& expression);
[[nodiscard]] std::set<std::string> declaredIn(const std::vector<Stmt>& body);
[[nodiscard]] bool occurs(const std::vector<Stmt>& body, std::string_view name);
[[nodiscard]] bool hasRaw(const std::vector<Stmt>& body);

/// Returns a name that the function does not use: `base`, with a number appended if necessary.
[[nodiscard]] std::string freshName(const Function& function, std::string_view base);

/// One access to an array.
struct Access {
  std::string array;
  Expr at;
  bool written = false;
  bool both = false;               ///< read and written: X[i] += …
  std::vector<const Stmt*> loops;  ///< enclosing loops within the searched body, outermost first
  int line = 0;
};

/// Returns all array accesses in source order. `Access::loops` points into the body.
[[nodiscard]] std::vector<Access> accessesIn(const std::vector<Stmt>& body);

/// Returns the element type of an array or the type of a scalar: "float" for const float*, float*,
/// std::vector<float> and float[]. Returns "" for an undeclared name.
[[nodiscard]] std::string elementType(const Function& function, std::string_view name);

}  // namespace hone::kernel::nest
