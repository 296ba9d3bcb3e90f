#include "kernel/nest/rewrite/cache_calls.h"

#include <algorithm>
#include <optional>
#include <set>

#include "kernel/nest/affine.h"
#include "kernel/nest/dependence.h"
#include "kernel/nest/nest_walk.h"
#include "kernel/nest/normal_form.h"

namespace hone::kernel::nest {
namespace {

bool isCostly(const Expr& e) {
  return e.kind == Expr::Kind::call &&
         (lookupMath(e.text) == Math::exp || lookupMath(e.text) == Math::tanh);
}

/// The first costly call in the loop's own statements.
std::vector<Expr> costlyCalls(const Stmt& loop) {
  std::vector<Expr> found;
  for (const Stmt& s : loop.body) {
    if (s.kind == Stmt::Kind::assign || s.kind == Stmt::Kind::declare) {
      visit(s.value, [&](const Expr& e, bool) {
        if (isCostly(e)) {
          found.push_back(e);
        }
      });
    }
  }
  return found;
}

void replace(std::vector<Stmt>& body, const Expr& what, const Expr& by) {
  change(body, [&](Expr& e) {
    if (e == what) {
      e = by;
    }
  });
}

/// The element that the second loop writes in each round, where it can hold the value meanwhile.
std::optional<Expr> roomIn(const std::vector<Stmt>& body, std::size_t first, std::size_t second,
                           const Expr& value) {
  const Stmt& loop = body[second];
  for (const Stmt& s : loop.body) {
    if (s.kind != Stmt::Kind::assign || s.op != "=" || s.target.kind != Expr::Kind::index) {
      continue;
    }
    const auto at = toPolynomial(s.target.args[0]);
    const std::vector<Stmt> before(body.begin() + static_cast<std::ptrdiff_t>(first),
                                   body.begin() + static_cast<std::ptrdiff_t>(second));
    const std::vector<Access> uses = accessesIn(loop.body);
    const auto count = std::ranges::count(uses, s.target.text, &Access::array);
    if (at && neverOverlaps(*at, loop.name, {}) && !occurs(before, s.target.text) && count == 1 &&
        !namesIn(value).contains(s.target.text)) {
      return s.target;
    }
  }
  return std::nullopt;
}

/// Stores in the first loop what the second takes again.
bool cachePair(Function& function, std::vector<Stmt>& body, std::size_t first, std::size_t second) {
  const Stmt& later = body[second];
  std::vector<Stmt> between(body.begin() + static_cast<std::ptrdiff_t>(first),
                            body.begin() + static_cast<std::ptrdiff_t>(second) + 1);
  const std::set<std::string> changed = [&] {
    std::set<std::string> names;
    visit(between, [&](const Expr& e, bool written) {
      if (written) {
        names.insert(e.text);
      }
    });
    names.merge(declaredIn(body[first].body));
    names.merge(declaredIn(later.body));
    return names;
  }();
  for (const Expr& value : costlyCalls(body[first])) {
    Expr again = value;
    substitute(again, body[first].name, name(later.name));
    const std::vector<Expr> calls = costlyCalls(later);
    const std::set<std::string> used = namesIn(value);
    const bool stays =
        std::ranges::none_of(used, [&](const auto& n) { return changed.contains(n); });
    const auto room = roomIn(body, first, second, again);
    if (!stays || !room || std::ranges::find(calls, again) == calls.end() ||
        elementType(function, room->text) != "float") {
      continue;
    }
    Expr here = *room;
    substitute(here, later.name, name(body[first].name));
    const std::string kept = freshName(function, "kept");
    std::vector<Stmt>& loopBody = body[first].body;
    replace(loopBody, value, name(kept));
    loopBody.insert(loopBody.begin(),
                    {declare("float", kept, value), assign(here, "=", name(kept))});
    replace(body[second].body, again, *room);
    return true;
  }
  return false;
}

}  // namespace

bool cacheCalls(Function& function, const Knobs& /*knobs*/) {
  bool changed = false;
  visitBodies(function.body, [&](std::vector<Stmt>& body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      for (std::size_t k = i + 1; k < body.size(); ++k) {
        if (body[i].kind == Stmt::Kind::loop && body[k].kind == Stmt::Kind::loop &&
            sameRange(body[i], body[k])) {
          changed |= cachePair(function, body, i, k);
        }
      }
    }
  });
  return changed;
}

}  // namespace hone::kernel::nest
