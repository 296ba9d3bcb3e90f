#include "kernel/nest/dependence.h"

#include <algorithm>
#include <set>

#include "kernel/nest/nest_walk.h"

namespace hone::kernel::nest {
namespace {

/// Scalars that the body changes and others may see.
std::set<std::string> changedOutside(const std::vector<Stmt>& body) {
  const std::set<std::string> own = declaredIn(body);
  std::set<std::string> names;
  visit(body, [&](const Expr& e, bool written) {
    if (written && e.kind == Expr::Kind::name && !own.contains(e.text)) {
      names.insert(e.text);
    }
  });
  return names;
}

bool usesAny(const std::vector<Stmt>& body, const std::set<std::string>& names) {
  return std::ranges::any_of(names, [&](const auto& name) { return occurs(body, name); });
}

/// What is left of the index without the variable and those of the loops.
Polynomial base(Polynomial at, std::string_view variable, const std::vector<const Stmt*>& loops) {
  for (const Stmt* loop : loops) {
    at = at.without(loop->name);
  }
  return at.without(variable);
}

/// Loops in the index, with the one around them; nothing where those of the two uses differ.
std::optional<std::vector<const Stmt*>> loopsOfBoth(const Polynomial& at, const Access& a,
                                                    const Access& b, const Stmt& around) {
  std::vector<const Stmt*> used = {&around};
  for (const Stmt* loop : a.loops) {
    if (!at.contains(loop->name)) {
      continue;
    }
    const auto twin = std::ranges::find(b.loops, loop->name, [](const Stmt* s) { return s->name; });
    if (twin == b.loops.end() || !sameRange(*loop, **twin)) {
      return std::nullopt;
    }
    used.push_back(loop);
  }
  return used;
}

/// Whether the two uses can only meet in the same round of the loop around them.
bool meetInOneRound(const Access& a, const Access& b, const Stmt& around) {
  const auto first = toPolynomial(a.at);
  const auto second = toPolynomial(b.at);
  if (!first || !second) {
    return false;
  }
  if (*first == *second && first->contains(around.name)) {
    const auto loops = loopsOfBoth(*first, a, b, around);
    if (loops && isInjective(*first, *loops)) {
      return true;
    }
  }
  return first->coefficientOf(around.name) == second->coefficientOf(around.name) &&
         base(*first, around.name, a.loops) == base(*second, around.name, b.loops) &&
         neverOverlaps(*first, around.name, a.loops) && neverOverlaps(*second, around.name, b.loops);
}

bool independent(const std::vector<Access>& first, const std::vector<Access>& second,
                 const Stmt& around, const std::set<std::string>& own) {
  for (const Access& a : first) {
    for (const Access& b : second) {
      if (a.array == b.array && (a.written || b.written) && !own.contains(a.array) &&
          !meetInOneRound(a, b, around)) {
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
  if (usesAny(b.body, changedOutside(a.body)) || usesAny(a.body, changedOutside(b.body))) {
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
  if (hasRaw(loop.body) || !changedOutside(loop.body).empty()) {
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
