#include "kernel/nest/normal_form.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "kernel/nest/nest_walk.h"

namespace hone::kernel::nest {
namespace {

bool isInteger(std::string_view type) {
  return type != "float" && type != "double" && type != "bool" && type != "auto" &&
         !type.contains("vector") && !type.ends_with('*');
}

/// Returns the scalars that are assigned anywhere.
std::set<std::string> assignedIn(const Function& function) {
  std::set<std::string> names;
  visit(function.body, [&](const Expr& e, bool written) {
    if (written && e.kind == Expr::Kind::name) {
      names.insert(e.text);
    }
  });
  return names;
}

/// Returns X and e of `X + e`, `&X[e]` or `X`.
std::optional<std::pair<std::string, Expr>> parsePointer(const Expr& value) {
  if (value.kind == Expr::Kind::unary && value.text == "&" &&
      value.args[0].kind == Expr::Kind::index) {
    return std::pair(value.args[0].text, value.args[0].args[0]);
  }
  if (value.kind == Expr::Kind::name) {
    return std::pair(value.text, number(0));
  }
  if (value.kind == Expr::Kind::binary && value.text == "+") {
    if (const auto left = parsePointer(value.args[0])) {
      const Expr& right = value.args[1];
      return std::pair(left->first,
                       left->second == number(0) ? right : binary("+", left->second, right));
    }
  }
  return std::nullopt;
}

bool intersects(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::ranges::any_of(a, [&](const std::string& one) { return b.contains(one); });
}

/// Inlines the pointer or integer constant declared at `at` into the statements after it.
bool inlineDeclaration(std::vector<Stmt>& body, std::size_t at,
                       const std::set<std::string>& assigned) {
  const Stmt declared = body[at];
  if (declared.kind != Stmt::Kind::declare || !declared.hasValue || declared.array ||
      assigned.contains(declared.name)) {
    return false;
  }
  std::vector<Stmt> rest(body.begin() + static_cast<std::ptrdiff_t>(at) + 1, body.end());
  const std::set<std::string> locals = declaredIn(rest);
  const std::set<std::string> used = namesIn(declared.value);
  if (locals.contains(declared.name) || intersects(used, locals) || intersects(used, assigned)) {
    return false;
  }
  if (declared.type.ends_with('*')) {
    const auto target = parsePointer(declared.value);
    if (!target) {
      return false;
    }
    change(rest, [&](Expr& e) {
      if (e.kind == Expr::Kind::index && e.text == declared.name) {
        Expr offset = target->second == number(0)
                          ? std::move(e.args[0])
                          : binary("+", target->second, std::move(e.args[0]));
        const int line = e.line;
        e = index(target->first, std::move(offset));
        e.line = line;
      }
    });
    if (occurs(rest, declared.name)) {
      return false;
    }
  } else if (isInteger(declared.type)) {
    substitute(rest, declared.name, declared.value);
  } else {
    return false;
  }
  body.erase(body.begin() + static_cast<std::ptrdiff_t>(at), body.end());
  body.insert(body.end(), rest.begin(), rest.end());
  return true;
}

void inlineConstants(Function& function) {
  const std::set<std::string> assigned = assignedIn(function);
  bool changed = true;
  while (changed) {
    changed = false;
    visitBodies(function.body, [&](std::vector<Stmt>& body) {
      for (std::size_t i = 0; i < body.size() && !changed; ++i) {
        changed = inlineDeclaration(body, i, assigned);
      }
    });
  }
}

/// Returns the max or min call that is equivalent to `comparison ? chosen : other`.
std::optional<Expr> matchMinMax(const Expr& comparison, const Expr& chosen, const Expr& other) {
  if (comparison.kind != Expr::Kind::binary) {
    return std::nullopt;
  }
  const bool less = comparison.text == "<" || comparison.text == "<=";
  const bool more = comparison.text == ">" || comparison.text == ">=";
  if (!less && !more) {
    return std::nullopt;
  }
  const bool forward = comparison.args[0] == chosen && comparison.args[1] == other;
  const bool backward = comparison.args[0] == other && comparison.args[1] == chosen;
  if (!forward && !backward) {
    return std::nullopt;
  }
  Expr result = call(more == forward ? "std::max<float>" : "std::min<float>", {other, chosen});
  result.line = comparison.line;
  return result;
}

bool isFloat(const Function& function, const Expr& e) {
  return (e.kind == Expr::Kind::name || e.kind == Expr::Kind::index) &&
         elementType(function, e.text) == "float";
}

void replaceMinMax(Function& function) {
  visitBodies(function.body, [&](std::vector<Stmt>& body) {
    for (Stmt& s : body) {
      if (s.kind != Stmt::Kind::branch || !s.otherwise.empty() || s.body.size() != 1 ||
          s.body[0].kind != Stmt::Kind::assign || s.body[0].op != "=" ||
          !isFloat(function, s.body[0].target)) {
        continue;
      }
      const Stmt inner = s.body[0];
      if (const auto found = matchMinMax(s.value, inner.value, inner.target)) {
        const int line = s.line;
        s = assign(inner.target, "=", *found);
        s.line = line;
      }
    }
  });
  change(function.body, [&](Expr& e) {
    if (e.kind == Expr::Kind::ternary &&
        (isFloat(function, e.args[1]) || isFloat(function, e.args[2]))) {
      if (auto found = matchMinMax(e.args[0], e.args[1], e.args[2])) {
        e = std::move(*found);
      }
    }
  });
}

/// Returns true if a loop shadows the variable of an enclosing loop. The rewrites assume that names
/// are unique.
bool shadowsLoopVariable(const std::vector<Stmt>& body, std::set<std::string>& around) {
  for (const Stmt& s : body) {
    const bool loop = s.kind == Stmt::Kind::loop;
    if (loop && !around.insert(s.name).second) {
      return true;
    }
    if (shadowsLoopVariable(s.body, around) || shadowsLoopVariable(s.otherwise, around)) {
      return true;
    }
    if (loop) {
      around.erase(s.name);
    }
  }
  return false;
}

}  // namespace

bool computesFloat(const Function& function, const Expr& expression) {
  bool found = false;
  visit(expression, [&](const Expr& e, bool) {
    found |= (e.kind == Expr::Kind::number && e.text.find_first_of(".fF") != std::string::npos) ||
             (e.kind == Expr::Kind::cast && e.text == "float") || isFloat(function, e);
  });
  return found;
}

Math lookupMath(std::string_view function) {
  struct Entry {
    std::string_view text;
    Math math;
  };
  static constexpr std::array kNames = {
      Entry{"exp", Math::exp},    Entry{"expf", Math::exp},       Entry{"tanh", Math::tanh},
      Entry{"tanhf", Math::tanh}, Entry{"sqrt", Math::sqrt},      Entry{"sqrtf", Math::sqrt},
      Entry{"max", Math::max},    Entry{"max<float>", Math::max}, Entry{"fmax", Math::max},
      Entry{"fmaxf", Math::max},  Entry{"min", Math::min},        Entry{"min<float>", Math::min},
      Entry{"fmin", Math::min},   Entry{"fminf", Math::min},      Entry{"fabs", Math::abs},
      Entry{"fabsf", Math::abs},  Entry{"abs", Math::abs}};
  if (function.starts_with("std::")) {
    function.remove_prefix(5);
  }
  const auto found = std::ranges::find(kNames, function, &Entry::text);
  return found == kNames.end() ? Math::none : found->math;
}

Result<Function> normalize(Function function) {
  inlineConstants(function);
  std::optional<Expr> unknown;
  change(function.body, [&](Expr& e) {
    if (e.kind != Expr::Kind::call) {
      return;
    }
    if (e.text.starts_with("std::m") && !computesFloat(function, e)) {
      return;  // integer min or max, as in loop bounds
    }
    switch (lookupMath(e.text)) {
      case Math::exp:
        e.text = "std::exp";
        break;
      case Math::tanh:
        e.text = "std::tanh";
        break;
      case Math::sqrt:
        e.text = "std::sqrt";
        break;
      case Math::max:
        e.text = "std::max<float>";
        break;
      case Math::min:
        e.text = "std::min<float>";
        break;
      case Math::abs:
        e.text = "std::fabs";
        break;
      case Math::none:
        unknown = e;
        break;
    }
  });
  if (unknown) {
    return userError("line {}: unknown function '{}'", unknown->line, unknown->text);
  }
  replaceMinMax(function);
  std::set<std::string> around;
  if (shadowsLoopVariable(function.body, around)) {
    return userError("a loop shadows the variable of an enclosing loop");
  }
  return function;
}

}  // namespace hone::kernel::nest
