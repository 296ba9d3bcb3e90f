#include "kernel/nest/nest_walk.h"

#include <fmt/format.h>

#include <array>

namespace hone::kernel::nest {
namespace {

/// Returns the expressions that the statement itself reads, without its target.
std::vector<const Expr*> readDirectly(const Stmt& s) {
  switch (s.kind) {
    case Stmt::Kind::loop:
      return {&s.from, &s.to, &s.step};
    case Stmt::Kind::declare: {
      std::vector<const Expr*> all;
      if (s.array) {
        all.push_back(&s.size);
      }
      if (s.hasValue) {
        all.push_back(&s.value);
      }
      return all;
    }
    case Stmt::Kind::assign:
    case Stmt::Kind::branch:
      return {&s.value};
    default:
      return {};
  }
}

void collect(const std::vector<Stmt>& body, std::vector<const Stmt*>& loops,
             std::vector<Access>& out);

void collectReads(const Expr& e, const std::vector<const Stmt*>& loops, std::vector<Access>& out) {
  visit(e, [&](const Expr& inner, bool) {
    if (inner.kind == Expr::Kind::index) {
      out.push_back({inner.text, inner.args[0], false, false, loops, inner.line});
    }
  });
}

void collect(const Stmt& s, std::vector<const Stmt*>& loops, std::vector<Access>& out) {
  for (const Expr* e : readDirectly(s)) {
    collectReads(*e, loops, out);
  }
  if (s.kind == Stmt::Kind::assign && s.target.kind == Expr::Kind::index) {
    collectReads(s.target.args[0], loops, out);
    out.push_back({s.target.text, s.target.args[0], true, s.op != "=", loops, s.target.line});
  }
  if (s.kind == Stmt::Kind::loop) {
    loops.push_back(&s);
  }
  collect(s.body, loops, out);
  collect(s.otherwise, loops, out);
  if (s.kind == Stmt::Kind::loop) {
    loops.pop_back();
  }
}

void collect(const std::vector<Stmt>& body, std::vector<const Stmt*>& loops,
             std::vector<Access>& out) {
  for (const Stmt& s : body) {
    collect(s, loops, out);
  }
}

std::string parseElementType(std::string_view type) {
  for (const std::string_view known : {"float", "double"}) {
    if (type.contains(known)) {
      return std::string(known);
    }
  }
  return std::string(type);
}

/// Returns the names of scalars and arrays that are read.
std::set<std::string> readIn(const std::vector<Stmt>& body) {
  std::set<std::string> names;
  visit(body, [&](const Expr& e, bool written) {
    if (!written && (e.kind == Expr::Kind::name || e.kind == Expr::Kind::index)) {
      names.insert(e.text);
    }
  });
  return names;
}

}  // namespace

void visit(const Expr& e, const ExprVisitor& visitor) {
  visitor(e, false);
  for (const Expr& arg : e.args) {
    visit(arg, visitor);
  }
}

void visit(const Stmt& s, const ExprVisitor& visitor) {
  for (const Expr* e : readDirectly(s)) {
    visit(*e, visitor);
  }
  if (s.kind == Stmt::Kind::assign) {
    visitor(s.target, true);
    if (s.op != "=") {
      visitor(s.target, false);
    }
    for (const Expr& arg : s.target.args) {
      visit(arg, visitor);
    }
  }
  visit(s.body, visitor);
  visit(s.otherwise, visitor);
}

void visit(const std::vector<Stmt>& body, const ExprVisitor& visitor) {
  for (const Stmt& s : body) {
    visit(s, visitor);
  }
}

void visitStatements(const std::vector<Stmt>& body,
                     const std::function<void(const Stmt&)>& visitor) {
  for (const Stmt& s : body) {
    visitor(s);
    visitStatements(s.body, visitor);
    visitStatements(s.otherwise, visitor);
  }
}

void visitBodies(std::vector<Stmt>& body, const std::function<void(std::vector<Stmt>&)>& visitor) {
  for (Stmt& s : body) {
    if (!s.body.empty()) {
      visitBodies(s.body, visitor);
    }
    if (!s.otherwise.empty()) {
      visitBodies(s.otherwise, visitor);
    }
  }
  visitor(body);
}

void change(Expr& e, const ExprChanger& changer) {
  for (Expr& arg : e.args) {
    change(arg, changer);
  }
  changer(e);
}

void change(Stmt& s, const ExprChanger& changer) {
  if (s.kind == Stmt::Kind::loop) {
    change(s.from, changer);
    change(s.to, changer);
    change(s.step, changer);
  }
  if (s.kind == Stmt::Kind::declare && s.array) {
    change(s.size, changer);
  }
  if (s.hasValue || s.kind == Stmt::Kind::assign || s.kind == Stmt::Kind::branch) {
    change(s.value, changer);
  }
  if (s.kind == Stmt::Kind::assign) {
    change(s.target, changer);
  }
  change(s.body, changer);
  change(s.otherwise, changer);
}

void change(std::vector<Stmt>& body, const ExprChanger& changer) {
  for (Stmt& s : body) {
    change(s, changer);
  }
}

void substitute(Expr& e, std::string_view name, const Expr& value) {
  change(e, [&](Expr& inner) {
    if (inner.kind == Expr::Kind::name && inner.text == name) {
      const int line = inner.line;
      inner = value;
      inner.line = line;
    }
  });
}

void substitute(std::vector<Stmt>& body, std::string_view name, const Expr& value) {
  change(body, [&](Expr& inner) {
    if (inner.kind == Expr::Kind::name && inner.text == name) {
      const int line = inner.line;
      inner = value;
      inner.line = line;
    }
  });
}

void rename(std::vector<Stmt>& body, std::string_view from, const std::string& to) {
  change(body, [&](Expr& inner) {
    if ((inner.kind == Expr::Kind::name || inner.kind == Expr::Kind::index) && inner.text == from) {
      inner.text = to;
    }
  });
  visitBodies(body, [&](std::vector<Stmt>& inner) {
    for (Stmt& s : inner) {
      if ((s.kind == Stmt::Kind::declare || s.kind == Stmt::Kind::loop) && s.name == from) {
        s.name = to;
      }
    }
  });
}

std::set<std::string> writtenIn(const std::vector<Stmt>& body) {
  std::set<std::string> names = declaredIn(body);
  visit(body, [&](const Expr& e, bool written) {
    if (written) {
      names.insert(e.text);
    }
  });
  return names;
}

std::set<std::string> namesIn(const Expr& expression) {
  std::set<std::string> names;
  visit(expression, [&](const Expr& e, bool) {
    if (e.kind == Expr::Kind::name || e.kind == Expr::Kind::index) {
      names.insert(e.text);
    }
  });
  return names;
}

std::set<std::string> declaredIn(const std::vector<Stmt>& body) {
  std::set<std::string> names;
  visitStatements(body, [&](const Stmt& s) {
    if (s.kind == Stmt::Kind::declare || s.kind == Stmt::Kind::loop) {
      names.insert(s.name);
    }
  });
  return names;
}

bool occurs(const std::vector<Stmt>& body, std::string_view name) {
  bool found = false;
  visit(body, [&](const Expr& e, bool) {
    found |= (e.kind == Expr::Kind::name || e.kind == Expr::Kind::index) && e.text == name;
  });
  return found;
}

bool hasRaw(const std::vector<Stmt>& body) {
  bool found = false;
  visitStatements(body, [&](const Stmt& s) { found |= s.kind == Stmt::Kind::raw; });
  return found;
}

std::string freshName(const Function& function, std::string_view base) {
  std::set<std::string> taken = readIn(function.body);
  taken.merge(writtenIn(function.body));
  for (const Parameter& parameter : function.parameters) {
    taken.insert(parameter.name);
  }
  visitStatements(function.body, [&](const Stmt& s) {
    for (const std::string& line : s.lines) {
      if (line.contains(base)) {
        taken.insert(std::string(base));
      }
    }
  });
  std::string name(base);
  for (int i = 2; taken.contains(name); ++i) {
    name = fmt::format("{}{}", base, i);
  }
  return name;
}

std::vector<Access> accessesIn(const std::vector<Stmt>& body) {
  std::vector<Access> all;
  std::vector<const Stmt*> loops;
  collect(body, loops, all);
  return all;
}

std::string elementType(const Function& function, std::string_view name) {
  for (const Parameter& parameter : function.parameters) {
    if (parameter.name == name) {
      return parseElementType(parameter.type);
    }
  }
  std::string type;
  visitStatements(function.body, [&](const Stmt& s) {
    if ((s.kind == Stmt::Kind::declare || s.kind == Stmt::Kind::loop) && s.name == name) {
      type = parseElementType(s.type);
    }
  });
  return type;
}

}  // namespace hone::kernel::nest
