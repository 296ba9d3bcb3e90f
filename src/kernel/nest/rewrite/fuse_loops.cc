#include "kernel/nest/rewrite/fuse_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>

#include "kernel/nest/affine.h"
#include "kernel/nest/dependence.h"
#include "kernel/nest/nest_printer.h"
#include "kernel/nest/nest_walk.h"

namespace hone::kernel::nest {
namespace {

/// Declarations that stand between loops and need nothing of them can move before them.
bool mayMoveUp(const Stmt& s, const Stmt& before) {
  if (s.kind != Stmt::Kind::declare) {
    return false;
  }
  const std::set<std::string> changed = writtenIn(before.body);
  std::set<std::string> used = namesIn(s.size);
  used.merge(namesIn(s.value));
  return std::ranges::none_of(used, [&](const auto& name) { return changed.contains(name); }) &&
         !occurs(before.body, s.name) && !changed.contains(s.name);
}

/// The places of loops from `first` on that may run as one with it; what stands between them are
/// declarations that can go before them.
std::vector<std::size_t> groupFrom(const std::vector<Stmt>& body, std::size_t first) {
  std::vector<std::size_t> group = {first};
  for (std::size_t i = first + 1; i < body.size(); ++i) {
    const auto fits = [&](std::size_t member) { return canFuse(body[member], body[i]); };
    if (body[i].kind == Stmt::Kind::loop && std::ranges::all_of(group, fits)) {
      group.push_back(i);
      continue;
    }
    const auto passes = [&](std::size_t member) { return mayMoveUp(body[i], body[member]); };
    if (!std::ranges::all_of(group, passes)) {
      break;
    }
  }
  return group;
}

/// Names that both bodies declare are made two.
void tellApart(Function& function, const std::vector<Stmt>& first, std::vector<Stmt>& second) {
  std::vector<std::string> taken;
  for (const Stmt& s : first) {
    if (s.kind == Stmt::Kind::declare) {
      taken.push_back(s.name);
    }
  }
  for (const std::string& name : taken) {
    const bool again = std::ranges::any_of(
        second, [&](const Stmt& s) { return s.kind == Stmt::Kind::declare && s.name == name; });
    if (again) {
      Function all = function;
      all.body.insert(all.body.end(), first.begin(), first.end());
      all.body.insert(all.body.end(), second.begin(), second.end());
      rename(second, name, freshName(all, name));
    }
  }
}

Stmt merged(Function& function, const std::vector<Stmt>& loops) {
  Stmt result = loops.front();
  for (std::size_t i = 1; i < loops.size(); ++i) {
    std::vector<Stmt> more = loops[i].body;
    rename(more, loops[i].name, result.name);
    tellApart(function, result.body, more);
    result.body.insert(result.body.end(), more.begin(), more.end());
  }
  return result;
}

/// A loop over blocks of rows in which the loops take turns.
Stmt inBlocks(Function& function, const std::vector<Stmt>& loops, std::int64_t rows) {
  const std::string block = freshName(function, loops.front().name + "Block");
  Stmt result = loopOver(block, loops.front().from, loops.front().to, {});
  result.type = loops.front().type;
  result.step = number(rows);
  for (Stmt inner : loops) {
    Expr end = binary("+", name(block), number(rows));
    inner.to = call(fmt::format("std::min<{}>", inner.type), {std::move(end), inner.to});
    inner.from = name(block);
    result.body.push_back(std::move(inner));
  }
  return result;
}

bool hasLoop(const std::vector<Stmt>& body) {
  return std::ranges::any_of(body, [](const Stmt& s) { return s.kind == Stmt::Kind::loop; });
}

bool mayFuseIn(const std::vector<Stmt>& body) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i].kind == Stmt::Kind::loop && groupFrom(body, i).size() > 1) {
      return true;
    }
  }
  return false;
}

bool fuseIn(Function& function, std::vector<Stmt>& body, std::int64_t rows);

/// Puts one loop in the place of those of the group; the place where it stands then.
std::size_t fuseGroup(Function& function, std::vector<Stmt>& body,
                      const std::vector<std::size_t>& group, std::int64_t rows) {
  std::vector<Stmt> loops;
  for (const std::size_t member : group) {
    loops.push_back(body[member]);
  }
  for (const std::size_t member : group | std::views::reverse) {
    body.erase(body.begin() + static_cast<std::ptrdiff_t>(member));
  }
  // What stood between them is where the first was now, and stays before all.
  const std::size_t at = group.back() + 1 - group.size();
  Stmt one = merged(function, loops);
  const bool nests = std::ranges::all_of(loops, [](const Stmt& s) { return hasLoop(s.body); });
  if (rows > 0 && nests && !mayFuseIn(one.body) && one.step == number(1)) {
    one = inBlocks(function, loops, rows);
  } else {
    fuseIn(function, one.body, rows);
  }
  body.insert(body.begin() + static_cast<std::ptrdiff_t>(at), std::move(one));
  return at;
}

bool fuseIn(Function& function, std::vector<Stmt>& body, std::int64_t rows) {
  bool changed = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i].kind != Stmt::Kind::loop) {
      continue;
    }
    const std::vector<std::size_t> group = groupFrom(body, i);
    if (group.size() > 1) {
      i = fuseGroup(function, body, group, rows);
      changed = true;
    } else {
      changed |= fuseIn(function, body[i].body, rows);
    }
  }
  return changed;
}

/// Whether every use of the array is in the list's own statements, not in loops or branches of it.
bool usedOnlyHere(const Function& function, const std::vector<Stmt>& body,
                  const std::string& array) {
  std::ptrdiff_t here = 0;
  for (const Stmt& s : body) {
    if (s.kind == Stmt::Kind::assign || s.kind == Stmt::Kind::declare) {
      here += std::ranges::count(accessesIn({s}), array, &Access::array);
    }
  }
  return here > 0 && here == std::ranges::count(accessesIn(function.body), array, &Access::array);
}

/// Replaces an array whose elements are written and read in one round only.
bool toScalar(Function& function, const std::string& array) {
  bool done = false;
  Function copy = function;
  visitBodies(copy.body, [&](std::vector<Stmt>& body) {
    if (done || !usedOnlyHere(function, body, array)) {
      return;
    }
    const std::vector<Access> uses = accessesIn(body);
    std::optional<Polynomial> at;
    for (const Access& use : uses) {
      if (use.array == array) {
        const auto here = toPolynomial(use.at);
        if (!here || (at && *here != *at)) {
          return;
        }
        at = here;
      }
    }
    const auto first = std::ranges::find_if(body, [&](const Stmt& s) {
      return std::ranges::count(accessesIn({s}), array, &Access::array) > 0;
    });
    if (first->kind != Stmt::Kind::assign || first->op != "=" || first->target.text != array ||
        namesIn(first->value).contains(array)) {
      return;
    }
    const std::string scalar = freshName(function, array + "Value");
    Stmt declared = declare(elementType(function, array), scalar, first->value);
    *first = std::move(declared);
    change(body, [&](Expr& e) {
      if (e.kind == Expr::Kind::index && e.text == array) {
        e = name(scalar);
      }
    });
    done = true;
  });
  if (done) {
    function = std::move(copy);
    std::erase_if(function.body,
                  [&](const Stmt& s) { return s.kind == Stmt::Kind::declare && s.name == array; });
  }
  return done;
}

/// Whether what is read is what was written with some loops at their begin: X[i] of X[i + j].
bool reaches(Polynomial written, const Polynomial& read, const std::vector<const Stmt*>& loops) {
  for (const std::string& variable : namesIn(written.expression())) {
    const bool around =
        std::ranges::any_of(loops, [&](const Stmt* l) { return l->name == variable; });
    if (!around && !read.contains(variable)) {
      written = written.without(variable);
    }
  }
  return written == read;
}

/// Lets an array that is used in one round of the loops around it only hold what that round needs.
bool toBlock(Function& function, const std::string& array) {
  const std::vector<Access> all = accessesIn(function.body);
  std::vector<Access> uses;
  std::ranges::copy_if(all, std::back_inserter(uses),
                       [&](const Access& use) { return use.array == array; });
  if (uses.empty() || !uses.front().written || uses.front().both) {
    return false;
  }
  std::vector<const Stmt*> common = uses.front().loops;
  for (const Access& use : uses) {
    std::size_t same = 0;
    while (same < common.size() && same < use.loops.size() && common[same] == use.loops[same]) {
      ++same;
    }
    common.resize(same);
  }
  if (common.empty()) {
    return false;
  }
  std::optional<Polynomial> size;
  std::optional<Polynomial> written;
  std::map<std::string, Polynomial> replaced;
  for (const Access& use : uses) {
    auto at = toPolynomial(use.at);
    if (!at) {
      return false;
    }
    Polynomial extent = Polynomial::constant(1);
    for (const Stmt* loop : use.loops) {
      const bool around = std::ranges::find(common, loop) != common.end();
      const auto from = toPolynomial(loop->from);
      const auto factor = at->coefficientOf(loop->name);
      if (!factor || !from) {
        return false;
      }
      if (around) {
        at = at->without(loop->name);
        continue;
      }
      // A loop over a block begins at the block's first row and has as many rounds as it has rows.
      const auto blockLoop = std::ranges::find_if(common, [&](const Stmt* c) {
        return loop->from == name(c->name) && loop->to.kind == Expr::Kind::call;
      });
      auto rounds = toPolynomial(loop->to);
      if (blockLoop != common.end()) {
        rounds = toPolynomial((*blockLoop)->step);
        at = at->substituted(loop->name, Polynomial::variable(loop->name).plus(*from, -1));
      }
      if (!rounds) {
        return false;
      }
      extent = extent.plus(factor->times(rounds->plus(Polynomial::constant(1), -1)));
    }
    if (use.written) {
      if (size && (*size != extent || *written != *at)) {
        return false;
      }
      size = extent;
      written = at;
    } else if (*size != extent && !reaches(*written, *at, use.loops)) {
      return false;
    }
    replaced[print(use.at)] = *at;
  }
  change(function.body, [&](Expr& e) {
    if (e.kind == Expr::Kind::index && e.text == array) {
      e.args[0] = replaced.at(print(e.args[0])).expression();
    }
  });
  for (Stmt& s : function.body) {
    if (s.kind == Stmt::Kind::declare && s.name == array) {
      s.size = size->expression();
    }
  }
  return true;
}

}  // namespace

bool fuseLoops(Function& function, const Knobs& knobs) {
  const auto rows = knobs.find("rows");
  if (!fuseIn(function, function.body, rows == knobs.end() ? 0 : rows->second)) {
    return false;
  }
  std::vector<std::string> temporaries;
  for (const Stmt& s : function.body) {
    if (s.kind == Stmt::Kind::declare && s.array) {
      temporaries.push_back(s.name);
    }
  }
  for (const std::string& array : temporaries) {
    if (!toScalar(function, array)) {
      toBlock(function, array);
    }
  }
  return true;
}

}  // namespace hone::kernel::nest
