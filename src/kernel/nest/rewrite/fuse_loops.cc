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

/// Returns true if `s` is a declaration that can be moved before the loop `before`.
bool canMoveBefore(const Stmt& s, const Stmt& before) {
  if (s.kind != Stmt::Kind::declare) {
    return false;
  }
  const std::set<std::string> changed = writtenIn(before.body);
  std::set<std::string> used = namesIn(s.size);
  used.merge(namesIn(s.value));
  return std::ranges::none_of(used, [&](const auto& name) { return changed.contains(name); }) &&
         !occurs(before.body, s.name) && !changed.contains(s.name);
}

/// Returns the positions of the loops from `first` on that can be fused. Only declarations that can
/// be moved before them are in between.
std::vector<std::size_t> fusibleGroup(const std::vector<Stmt>& body, std::size_t first) {
  std::vector<std::size_t> group = {first};
  for (std::size_t i = first + 1; i < body.size(); ++i) {
    const auto fits = [&](std::size_t member) { return canFuse(body[member], body[i]); };
    if (body[i].kind == Stmt::Kind::loop && std::ranges::all_of(group, fits)) {
      group.push_back(i);
      continue;
    }
    const auto passes = [&](std::size_t member) { return canMoveBefore(body[i], body[member]); };
    if (!std::ranges::all_of(group, passes)) {
      break;
    }
  }
  return group;
}

/// Renames declarations of `second` that `first` declares, too.
void renameDuplicates(Function& function, const std::vector<Stmt>& first,
                      std::vector<Stmt>& second) {
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

Stmt mergeLoops(Function& function, const std::vector<Stmt>& loops) {
  Stmt result = loops.front();
  for (std::size_t i = 1; i < loops.size(); ++i) {
    std::vector<Stmt> more = loops[i].body;
    rename(more, loops[i].name, result.name);
    renameDuplicates(function, result.body, more);
    result.body.insert(result.body.end(), more.begin(), more.end());
  }
  return result;
}

/// Returns a loop over blocks of rows that runs all loops for each block.
Stmt interleaveByBlocks(Function& function, const std::vector<Stmt>& loops, std::int64_t rows) {
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

bool canFuseIn(const std::vector<Stmt>& body) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i].kind == Stmt::Kind::loop && fusibleGroup(body, i).size() > 1) {
      return true;
    }
  }
  return false;
}

bool fuseIn(Function& function, std::vector<Stmt>& body, std::int64_t rows);

/// Replaces the loops of the group by one loop and returns its position.
std::size_t fuseGroup(Function& function, std::vector<Stmt>& body,
                      const std::vector<std::size_t>& group, std::int64_t rows) {
  std::vector<Stmt> loops;
  for (const std::size_t member : group) {
    loops.push_back(body[member]);
  }
  for (const std::size_t member : group | std::views::reverse) {
    body.erase(body.begin() + static_cast<std::ptrdiff_t>(member));
  }
  // The declarations between the loops have moved before the new loop.
  const std::size_t at = group.back() + 1 - group.size();
  Stmt one = mergeLoops(function, loops);
  const bool nests = std::ranges::all_of(loops, [](const Stmt& s) { return hasLoop(s.body); });
  if (rows > 0 && nests && !canFuseIn(one.body) && one.step == number(1)) {
    one = interleaveByBlocks(function, loops, rows);
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
    const std::vector<std::size_t> group = fusibleGroup(body, i);
    if (group.size() > 1) {
      i = fuseGroup(function, body, group, rows);
      changed = true;
    } else {
      changed |= fuseIn(function, body[i].body, rows);
    }
  }
  return changed;
}

/// Returns true if all accesses to the array are in direct statements of the body, not nested in
/// loops or branches.
bool isUsedOnlyIn(const Function& function, const std::vector<Stmt>& body,
                  const std::string& array) {
  std::ptrdiff_t here = 0;
  for (const Stmt& s : body) {
    if (s.kind == Stmt::Kind::assign || s.kind == Stmt::Kind::declare) {
      here += std::ranges::count(accessesIn({s}), array, &Access::array);
    }
  }
  return here > 0 && here == std::ranges::count(accessesIn(function.body), array, &Access::array);
}

/// Replaces an array by a scalar if each element is only used in one iteration.
bool replaceByScalar(Function& function, const std::string& array) {
  bool done = false;
  Function copy = function;
  visitBodies(copy.body, [&](std::vector<Stmt>& body) {
    if (done || !isUsedOnlyIn(function, body, array)) {
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

/// Returns true if `read` is `written` with some loop variables at their start: X[i] of X[i + j].
bool readsStartOf(Polynomial written, const Polynomial& read,
                  const std::vector<const Stmt*>& loops) {
  for (const std::string& variable : namesIn(written.expression())) {
    const bool around =
        std::ranges::any_of(loops, [&](const Stmt* l) { return l->name == variable; });
    if (!around && !read.contains(variable)) {
      written = written.without(variable);
    }
  }
  return written == read;
}

/// Returns the loops that enclose all uses, outermost first.
std::vector<const Stmt*> sharedLoops(const std::vector<Access>& uses) {
  std::vector<const Stmt*> shared = uses.front().loops;
  for (const Access& use : uses) {
    std::size_t same = 0;
    while (same < shared.size() && same < use.loops.size() && shared[same] == use.loops[same]) {
      ++same;
    }
    shared.resize(same);
  }
  return shared;
}

/// An access within one iteration of the shared loops.
struct LocalIndex {
  Polynomial at;      ///< index without the shared loops
  Polynomial extent;  ///< number of elements from the smallest to the largest index
};

/// Returns the index within one iteration of the shared loops; nothing if it is not a polynomial.
std::optional<LocalIndex> localIndex(const Access& use, const std::vector<const Stmt*>& shared) {
  auto at = toPolynomial(use.at);
  Polynomial extent = Polynomial::constant(1);
  for (const Stmt* loop : use.loops) {
    const auto from = toPolynomial(loop->from);
    const auto factor = at ? at->coefficientOf(loop->name) : std::nullopt;
    if (!factor || !from) {
      return std::nullopt;
    }
    if (std::ranges::find(shared, loop) != shared.end()) {
      at = at->without(loop->name);
      continue;
    }
    // A loop over a block starts at the first row of the block and has one iteration per row.
    const auto blockLoop = std::ranges::find_if(shared, [&](const Stmt* outer) {
      return loop->from == name(outer->name) && loop->to.kind == Expr::Kind::call;
    });
    auto iterations = toPolynomial(loop->to);
    if (blockLoop != shared.end()) {
      iterations = toPolynomial((*blockLoop)->step);
      at = at->substituted(loop->name, Polynomial::variable(loop->name).plus(*from, -1));
    }
    if (!iterations) {
      return std::nullopt;
    }
    extent = extent.plus(factor->times(iterations->plus(Polynomial::constant(1), -1)));
  }
  return at ? std::optional(LocalIndex{*at, extent}) : std::nullopt;
}

/// Shrinks an array to the elements that one iteration of the common enclosing loops needs.
bool shrinkToBlock(Function& function, const std::string& array) {
  const std::vector<Access> all = accessesIn(function.body);
  std::vector<Access> uses;
  std::ranges::copy_if(all, std::back_inserter(uses),
                       [&](const Access& use) { return use.array == array; });
  if (uses.empty() || !uses.front().written || uses.front().both) {
    return false;
  }
  const std::vector<const Stmt*> shared = sharedLoops(uses);
  if (shared.empty()) {
    return false;
  }
  std::optional<LocalIndex> written;
  std::map<std::string, Polynomial> replaced;
  for (const Access& use : uses) {
    const auto local = localIndex(use, shared);
    if (!local) {
      return false;
    }
    if (use.written) {
      if (written && (written->extent != local->extent || written->at != local->at)) {
        return false;
      }
      written = local;
    } else if (written->extent != local->extent &&
               !readsStartOf(written->at, local->at, use.loops)) {
      return false;
    }
    replaced[print(use.at)] = local->at;
  }
  change(function.body, [&](Expr& e) {
    if (e.kind == Expr::Kind::index && e.text == array) {
      e.args[0] = replaced.at(print(e.args[0])).expression();
    }
  });
  for (Stmt& s : function.body) {
    if (s.kind == Stmt::Kind::declare && s.name == array) {
      s.size = written->extent.expression();
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
    if (!replaceByScalar(function, array)) {
      shrinkToBlock(function, array);
    }
  }
  return true;
}

}  // namespace hone::kernel::nest
