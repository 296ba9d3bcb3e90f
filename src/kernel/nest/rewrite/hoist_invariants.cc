#include "kernel/nest/rewrite/hoist_invariants.h"

#include <algorithm>
#include <set>

#include "kernel/nest/nest_walk.h"
#include "kernel/nest/normal_form.h"

namespace hone::kernel::nest {
namespace {

/// Hoists invariants from the statements of one loop.
class Hoister {
 public:
  Hoister(Function& function, const Stmt& loop)
      : function_(function), changed_(writtenIn(loop.body)) {
    changed_.insert(loop.name);
  }

  /// Rewrites a statement of the loop and adds the hoisted declarations to `hoisted`.
  void visitStatement(Stmt& s) {
    const std::string type = s.kind == Stmt::Kind::declare  ? s.type
                             : s.kind == Stmt::Kind::assign ? elementType(function_, s.target.text)
                                                            : "";
    if (type == "float" && !s.array && (s.hasValue || s.kind == Stmt::Kind::assign)) {
      hoistFrom(s.value);
    }
  }

  std::vector<Stmt> hoisted;

 private:
  [[nodiscard]] bool isInvariant(const Expr& e) const {
    const std::set<std::string> used = namesIn(e);
    return std::ranges::none_of(used, [&](const auto& name) { return changed_.contains(name); });
  }
  [[nodiscard]] static bool isExpensive(const Expr& e) {
    bool found = false;
    visit(e, [&](const Expr& inner, bool) {
      found |=
          inner.kind == Expr::Kind::call || (inner.kind == Expr::Kind::binary && inner.text == "/");
    });
    return found;
  }
  /// Declares the value before the loop, unless it is already, and returns its name.
  Expr hoist(Expr value) {
    for (const Stmt& s : hoisted) {
      if (s.value == value) {
        return name(s.name);
      }
    }
    const std::string hoistedName = freshName(withHoisted(), "factor");
    Stmt declared = declare("float", hoistedName, std::move(value));
    declared.constant = true;
    hoisted.push_back(std::move(declared));
    return name(hoistedName);
  }
  [[nodiscard]] Function withHoisted() const {
    Function all = function_;
    all.body.insert(all.body.end(), hoisted.begin(), hoisted.end());
    return all;
  }
  void hoistFrom(Expr& e) {
    if (e.kind == Expr::Kind::index || e.kind == Expr::Kind::number) {
      return;
    }
    if (isInvariant(e) && isExpensive(e) && computesFloat(function_, e)) {
      e = hoist(e);
      return;
    }
    if (e.kind == Expr::Kind::binary && e.text == "/" && isInvariant(e.args[1]) &&
        e.args[1].kind != Expr::Kind::number && computesFloat(function_, e)) {
      hoistFrom(e.args[0]);
      Expr one{Expr::Kind::number, "1.0f", {}};
      Expr inverse = hoist(binary("/", std::move(one), e.args[1]));
      e = binary("*", std::move(e.args[0]), std::move(inverse));
      return;
    }
    for (Expr& arg : e.args) {
      hoistFrom(arg);
    }
  }

  Function& function_;
  std::set<std::string> changed_;
};

/// Moves the first loop-invariant constant before the loop at `at`.
bool moveConstantOut(std::vector<Stmt>& body, std::size_t at) {
  Stmt& loop = body[at];
  std::set<std::string> changed = writtenIn(loop.body);
  changed.insert(loop.name);
  for (std::size_t i = 0; i < loop.body.size(); ++i) {
    const Stmt s = loop.body[i];
    if (s.kind != Stmt::Kind::declare || !s.constant || !s.hasValue || s.array ||
        s.type != "float") {
      continue;
    }
    const std::set<std::string> used = namesIn(s.value);
    const bool isInvariant =
        std::ranges::none_of(used, [&](const auto& n) { return changed.contains(n); });
    if (isInvariant) {
      loop.body.erase(loop.body.begin() + static_cast<std::ptrdiff_t>(i));
      body.insert(body.begin() + static_cast<std::ptrdiff_t>(at), s);
      return true;
    }
  }
  return false;
}

}  // namespace

bool hoistInvariants(Function& function, const Knobs& /*knobs*/) {
  bool changed = false;
  // Tracks the names created for all loops, so that they do not clash.
  Function names = function;
  visitBodies(function.body, [&](std::vector<Stmt>& body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i].kind != Stmt::Kind::loop || hasRaw(body[i].body)) {
        continue;
      }
      while (moveConstantOut(body, i)) {
        changed = true;
        ++i;
      }
      Hoister hoister(names, body[i]);
      for (Stmt& s : body[i].body) {
        hoister.visitStatement(s);
      }
      if (!hoister.hoisted.empty()) {
        names.body.insert(names.body.end(), hoister.hoisted.begin(), hoister.hoisted.end());
        body.insert(body.begin() + static_cast<std::ptrdiff_t>(i), hoister.hoisted.begin(),
                    hoister.hoisted.end());
        i += hoister.hoisted.size();
        changed = true;
      }
    }
  });
  return changed;
}

}  // namespace hone::kernel::nest
