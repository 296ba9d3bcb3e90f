#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/nest/nest.h"

namespace hone::kernel::nest {

/// Every expression of the statement and what is in it, outer ones first. `written` is true for
/// what an assignment changes; `x += …` reads x too.
using ExprVisitor = std::function<void(const Expr& expression, bool written)>;
void visit(const Expr& expression, const ExprVisitor& visitor);
void visit(const Stmt& statement, const ExprVisitor& visitor);
void visit(const std::vector<Stmt>& body, const ExprVisitor& visitor);

/// Every statement, outer ones first.
void visitStatements(const std::vector<Stmt>& body,
                     const std::function<void(const Stmt&)>& visitor);
/// Every list of statements, inner ones first, to be changed.
void visitBodies(std::vector<Stmt>& body, const std::function<void(std::vector<Stmt>&)>& visitor);

/// Changes every expression, inner ones first.
using ExprChanger = std::function<void(Expr& expression)>;
void change(Expr& expression, const ExprChanger& changer);
void change(Stmt& statement, const ExprChanger& changer);
void change(std::vector<Stmt>& body, const ExprChanger& changer);

/// Puts the value where the name is read.
void substitute(Expr& expression, std::string_view name, const Expr& value);
void substitute(std::vector<Stmt>& body, std::string_view name, const Expr& value);
/// Another name for a scalar or an array, wherever it occurs.
void rename(std::vector<Stmt>& body, std::string_view from, const std::string& to);

/// Names of scalars and arrays that are read; that are written. Those declared within count too.
[[nodiscard]] std::set<std::string> readIn(const std::vector<Stmt>& body);
[[nodiscard]] std::set<std::string> writtenIn(const std::vector<Stmt>& body);
[[nodiscard]] std::set<std::string> namesIn(const Expr& expression);
[[nodiscard]] std::set<std::string> declaredIn(const std::vector<Stmt>& body);
[[nodiscard]] bool occurs(const std::vector<Stmt>& body, std::string_view name);
[[nodiscard]] bool hasRaw(const std::vector<Stmt>& body);

/// A name that the function does not use: the wish, or the wish with a number behind it.
[[nodiscard]] std::string freshName(const Function& function, std::string_view wish);

/// One use of an array.
struct Access {
  std::string array;
  Expr at;
  bool written = false;
  bool both = false;               ///< read and written: X[i] += …
  std::vector<const Stmt*> loops;  ///< around it, the outermost first, from where the search began
  int line = 0;
};

/// All uses of arrays in source order; pointers go into the body.
[[nodiscard]] std::vector<Access> accessesIn(const std::vector<Stmt>& body);

/// "float" for const float*, float*, std::vector<float> and float[]; also of scalars. "" for what
/// is not declared in the function.
[[nodiscard]] std::string elementType(const Function& function, std::string_view name);

}  // namespace hone::kernel::nest
