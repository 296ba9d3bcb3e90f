#include "kernel/nest/dependence.h"

#include <algorithm>
#include <set>

#include "kernel/nest/nest_walk.h"

namespace hone::kernel::nest {
namespace {

/// Returns the scalars that the body writes but does not declare.
std::set<std::string> writtenOutside(const std::vector<Stmt>& body) {
  const std::set<std::string> locals = declaredIn(body);
  std::set<std::string> names;
  visit(body, [&](const Expr& e, bool written) {
    if (written && e.kind == Expr::Kind::name && !locals.contains(e.text)) {
      names.insert(e.text);
    }
  });
  return names;
}

bool usesAny(const std::vector<Stmt>& body, const std::set<std::string>& names) {
  return std::ranges::any_of(names, [&](const auto& name) { return occurs(body, name); });
}

/// Returns the terms of the index without the variable and the loop variables.
Polynomial invariantPart(Polynomial at, std::string_view variable,
                         const std::vector<const Stmt*>& loops) {
  for (const Stmt* loop : loops) {
    at = at.without(loop->name);
  }
  return at.without(variable);
}

/// Returns `around` and the loops that occur in the index; nothing if they differ between the two
/// accesses.
std::optional<std::vector<const Stmt*>> commonLoops(const Polynomial& at, const Access& a,
                                                    const Access& b, const Stmt& around) {
  std::vector<const Stmt*> used = {&around};
  for (const Stmt* loop : a.loops) {
    if (!at.contains(loop->name)) {
      continue;
    }
    const auto other =
        std::ranges::find(b.loops, loop->name, [](const Stmt* s) { return s->name; });
    if (other == b.loops.end() || !sameRange(*loop, **other)) {
      return std::nullopt;
    }
    used.push_back(loop);
  }
  return used;
}

/// Returns true if the two accesses can touch the same element only in the same iteration of
/// `around`.
bool conflictOnlyInSameIteration(const Access& a, const Access& b, const Stmt& around) {
  const auto first = toPolynomial(a.at);
  const auto second = toPolynomial(b.at);
  if (!first || !second) {
    return false;
  }
  if (*first == *second && first->contains(around.name)) {
    const auto loops = commonLoops(*first, a, b, around);
    if (loops && isInjective(*first, *loops)) {
      return true;
    }
  }
  return first->coefficientOf(around.name) == second->coefficientOf(around.name) &&
         invariantPart(*first, around.name, a.loops) ==
             invariantPart(*second, around.name, b.loops) &&
         neverOverlaps(*first, around.name, a.loops) &&
         neverOverlaps(*second, around.name, b.loops);
}

bool independent(const std::vector<Access>& first, const std::vector<Access>& second,
                 const Stmt& around, const std::set<std::string>& locals) {
  for (const Access& a : first) {
    for (const Access& b : second) {
      if (a.array == b.array && (a.written || b.written) && !locals.contains(a.array) &&
          !conflictOnlyInSameIteration(a, b, around)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

bool sameRange(const Stmt& a, const Stmt& b) {
  const auto equal = [](const Expr& x, const Expr& y) {
    const auto first = toPolynomial(x);
    const auto second = toPolynomial(y);
    return first && second ? *first == *second : x == y;
  };
  return equal(a.from, b.from) && equal(a.to, b.to) && a.step == b.step;
}

bool canFuse(const Stmt& a, const Stmt& b) {
  if (!sameRange(a, b) || hasRaw(a.body) || hasRaw(b.body)) {
    return false;
  }
  if (usesAny(b.body, writtenOutside(a.body)) || usesAny(a.body, writtenOutside(b.body))) {
    return false;
  }
  std::vector<Stmt> second = b.body;
  if (a.name != b.name) {
    if (occurs(second, a.name) || declaredIn(second).contains(a.name)) {
      return false;
    }
    rename(second, b.name, a.name);
  }
  return independent(accessesIn(a.body), accessesIn(second), a, {});
}

bool isParallel(const Stmt& loop) {
  if (hasRaw(loop.body) || !writtenOutside(loop.body).empty()) {
    return false;
  }
  const std::vector<Access> all = accessesIn(loop.body);
  return independent(all, all, loop, declaredIn(loop.body));
}

bool hasPlainBounds(const Stmt& loop, const std::vector<std::string>& forbidden) {
  bool plain = loop.step == number(1);
  for (const Expr* bound : {&loop.from, &loop.to}) {
    visit(*bound, [&](const Expr& e, bool) {
      plain &=
          e.kind != Expr::Kind::index &&
          (e.kind != Expr::Kind::name || std::ranges::find(forbidden, e.text) == forbidden.end());
    });
  }
  return plain;
}

}  // namespace hone::kernel::nest
