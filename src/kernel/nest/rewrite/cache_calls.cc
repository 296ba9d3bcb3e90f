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

bool isExpensive(const Expr& e) {
  return e.kind == Expr::Kind::call &&
         (lookupMath(e.text) == Math::exp || lookupMath(e.text) == Math::tanh);
}

/// Returns the expensive calls in the loop's direct statements.
std::vector<Expr> expensiveCalls(const Stmt& loop) {
  std::vector<Expr> found;
  for (const Stmt& s : loop.body) {
    if (s.kind == Stmt::Kind::assign || s.kind == Stmt::Kind::declare) {
      visit(s.value, [&](const Expr& e, bool) {
        if (isExpensive(e)) {
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

/// Returns an element that the second loop writes in each iteration and that can hold the value
/// until then.
std::optional<Expr> findStorage(const std::vector<Stmt>& body, std::size_t first,
                                std::size_t second, const Expr& value) {
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

/// Stores values of the first loop that the second loop computes again.
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
  for (const Expr& value : expensiveCalls(body[first])) {
    Expr again = value;
    substitute(again, body[first].name, name(later.name));
    const std::vector<Expr> calls = expensiveCalls(later);
    const std::set<std::string> used = namesIn(value);
    const bool isInvariant =
        std::ranges::none_of(used, [&](const auto& n) { return changed.contains(n); });
    const auto storage = findStorage(body, first, second, again);
    if (!isInvariant || !storage || std::ranges::find(calls, again) == calls.end() ||
        elementType(function, storage->text) != "float") {
      continue;
    }
    Expr here = *storage;
    substitute(here, later.name, name(body[first].name));
    const std::string kept = freshName(function, "kept");
    std::vector<Stmt>& loopBody = body[first].body;
    replace(loopBody, value, name(kept));
    loopBody.insert(loopBody.begin(),
                    {declare("float", kept, value), assign(here, "=", name(kept))});
    replace(body[second].body, again, *storage);
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
