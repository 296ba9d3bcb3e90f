#include "kernel/nest/sum_nest.h"

#include <algorithm>
#include <ranges>
#include <set>

#include "kernel/nest/dependence.h"
#include "kernel/nest/nest_walk.h"

namespace hone::kernel::nest {
namespace {

Stmt header(const Stmt& loop) {
  Stmt result = loop;
  result.body.clear();
  return result;
}

/// Appends the loops of a perfect nest and returns the body of the innermost.
const std::vector<Stmt>& descend(const Stmt& outermost, std::vector<Stmt>& loops) {
  const Stmt* at = &outermost;
  loops.push_back(header(*at));
  while (at->body.size() == 1 && at->body[0].kind == Stmt::Kind::loop) {
    at = at->body.data();
    loops.push_back(header(*at));
  }
  return at->body;
}

/// Returns the only assignment of a body, with the scalars declared before it inlined.
std::optional<Stmt> onlyAssignment(std::vector<Stmt> body) {
  while (body.size() > 1) {
    const Stmt first = body.front();
    if (first.kind != Stmt::Kind::declare || !first.hasValue || first.array) {
      return std::nullopt;
    }
    body.erase(body.begin());
    if (writtenIn(body).contains(first.name)) {
      return std::nullopt;
    }
    substitute(body, first.name, first.value);
  }
  if (body.empty() || body[0].kind != Stmt::Kind::assign) {
    return std::nullopt;
  }
  return body[0];
}

/// Matches { s = init; for … s += e; target = stored; }.
bool matchScalarForm(const std::vector<Stmt>& body, SumNest& sum) {
  if (body.size() != 3 || body[0].kind != Stmt::Kind::declare || !body[0].hasValue ||
      body[0].type != "float" || body[1].kind != Stmt::Kind::loop ||
      body[2].kind != Stmt::Kind::assign || body[2].op != "=" ||
      body[2].target.kind != Expr::Kind::index) {
    return false;
  }
  sum.scalar = body[0].name;
  sum.init = body[0].value;
  sum.target = body[2].target;
  sum.stored = body[2].value;
  const auto step = onlyAssignment(descend(body[1], sum.reduced));
  if (!step || step->op != "+=" || step->target != name(sum.scalar)) {
    return false;
  }
  sum.added = step->value;
  return true;
}

/// Matches { target = init; for … target += e; }.
bool matchTargetForm(const std::vector<Stmt>& body, SumNest& sum) {
  if (body.size() != 2 || body[0].kind != Stmt::Kind::assign || body[0].op != "=" ||
      body[0].target.kind != Expr::Kind::index || body[1].kind != Stmt::Kind::loop) {
    return false;
  }
  const auto step = onlyAssignment(descend(body[1], sum.reduced));
  if (!step || step->op != "+=" || step->target != body[0].target) {
    return false;
  }
  sum.init = body[0].value;
  sum.target = body[0].target;
  sum.added = step->value;
  return true;
}

/// Matches `target += e` in loops of which some do not occur in the target's index.
bool matchPerfectForm(const std::vector<Stmt>& body, SumNest& sum) {
  const auto step = onlyAssignment(body);
  if (!step || step->op != "+=" || step->target.kind != Expr::Kind::index) {
    return false;
  }
  sum.target = step->target;
  sum.added = step->value;
  sum.accumulatesInTarget = true;
  const std::set<std::string> used = namesIn(step->target.args[0]);
  const auto rest = std::ranges::stable_partition(
      sum.parallel, [&](const Stmt& loop) { return used.contains(loop.name); });
  sum.reduced.assign(rest.begin(), rest.end());
  sum.parallel.erase(rest.begin(), rest.end());
  return !sum.reduced.empty();
}

std::vector<std::string> variables(const SumNest& sum) {
  std::vector<std::string> all;
  for (const auto* loops : {&sum.parallel, &sum.reduced}) {
    for (const Stmt& loop : *loops) {
      all.push_back(loop.name);
    }
  }
  return all;
}

bool isLegal(const SumNest& sum) {
  const auto at = toPolynomial(sum.target.args[0]);
  if (!at || sum.parallel.empty()) {
    return false;
  }
  const std::vector<std::string> all = variables(sum);
  std::vector<const Stmt*> loops;
  for (const Stmt& loop : sum.parallel) {
    loops.push_back(&loop);
  }
  if (!isInjective(*at, loops)) {
    return false;
  }
  const auto plain = [&](const Stmt& loop) { return hasPlainBounds(loop, all); };
  const auto free = [&](const Stmt& loop) { return at->coefficientOf(loop.name)->isZero(); };
  const std::set<std::string> used = namesIn(sum.added);
  return std::ranges::all_of(sum.parallel, plain) && std::ranges::all_of(sum.reduced, plain) &&
         std::ranges::all_of(sum.reduced, free) && !used.contains(sum.target.text) &&
         !used.contains(sum.scalar) && !namesIn(sum.init).contains(sum.target.text) &&
         !namesIn(sum.stored).contains(sum.target.text);
}

/// Returns the coefficient of the variable in the index; nothing if the index is not a polynomial.
std::optional<Polynomial> computeStride(const Expr& element, const std::string& variable) {
  const auto at = toPolynomial(element.args[0]);
  return at ? at->coefficientOf(variable) : std::nullopt;
}

bool dependsOn(const Expr& element, const std::string& variable) {
  const auto stride = computeStride(element, variable);
  return stride && !stride->isZero();
}

bool isContiguous(const Expr& element, const std::string& variable) {
  const auto stride = computeStride(element, variable);
  return stride && *stride == Polynomial::constant(1);
}

}  // namespace

std::optional<SumNest> matchSum(const Function& function, const Stmt& outermost) {
  if (outermost.kind != Stmt::Kind::loop || hasRaw(outermost.body)) {
    return std::nullopt;
  }
  SumNest sum;
  const std::vector<Stmt>& body = descend(outermost, sum.parallel);
  sum.scalar = "sum";
  if (!matchScalarForm(body, sum)) {
    sum.reduced.clear();
    sum.scalar = freshName(function, "sum");
    sum.stored = name(sum.scalar);
    if (!matchTargetForm(body, sum)) {
      sum.reduced.clear();
      if (!matchPerfectForm(body, sum)) {
        return std::nullopt;
      }
    }
  }
  if (!isLegal(sum) || elementType(function, sum.target.text) != "float") {
    return std::nullopt;
  }
  return sum;
}

std::vector<Stmt> wrapInLoops(const std::vector<Stmt>& loops, std::vector<Stmt> body) {
  for (Stmt outer : loops | std::views::reverse) {
    outer.body = std::move(body);
    body.clear();
    body.push_back(std::move(outer));
  }
  return body;
}

std::optional<Contraction> matchContraction(const Function& function, const Stmt& outermost) {
  const auto sum = matchSum(function, outermost);
  if (!sum || sum->added.kind != Expr::Kind::binary || sum->added.text != "*" ||
      sum->added.args[0].kind != Expr::Kind::index ||
      sum->added.args[1].kind != Expr::Kind::index) {
    return std::nullopt;
  }
  Contraction result{*sum, sum->added.args[0], sum->added.args[1], {}, {}, {}};
  for (const Expr* factor : {&result.left, &result.right}) {
    if (!toPolynomial(factor->args[0]) || elementType(function, factor->text) != "float") {
      return std::nullopt;
    }
  }
  bool hasRow = false;
  bool hasColumn = false;
  for (const Stmt& loop : sum->parallel) {
    if (!isContiguous(sum->target, loop.name)) {
      continue;
    }
    if (dependsOn(result.left, loop.name) && !dependsOn(result.right, loop.name)) {
      std::swap(result.left, result.right);
    }
    hasColumn = !dependsOn(result.left, loop.name) && dependsOn(result.right, loop.name);
    result.column = loop;
    result.rightInOrder = isContiguous(result.right, loop.name);
  }
  // The last match is the innermost loop in the source: its rows are closest in memory.
  for (const Stmt& loop : sum->parallel) {
    if (loop.name != result.column.name && dependsOn(result.left, loop.name) &&
        !dependsOn(result.right, loop.name)) {
      result.row = loop;
      hasRow = true;
    }
  }
  if (!hasRow || !hasColumn) {
    return std::nullopt;
  }
  for (const Stmt& loop : sum->parallel) {
    if (loop.name != result.column.name && loop.name != result.row.name) {
      result.others.push_back(loop);
    }
  }
  return result;
}

}  // namespace hone::kernel::nest
