#include "kernel/nest/rewrite/order_loops.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/nest/affine.h"
#include "kernel/nest/dependence.h"
#include "kernel/nest/nest_walk.h"
#include "kernel/nest/sum_nest.h"

namespace hone::kernel::nest {
namespace {

/// Rates a loop as the innermost: contiguous accesses count for it, strided ones against it.
int innermostScore(const std::vector<Access>& uses, const std::string& variable) {
  int score = 0;
  for (const Access& use : uses) {
    const auto at = toPolynomial(use.at);
    const auto stride = at ? at->coefficientOf(variable) : std::nullopt;
    if (!stride) {
      return -1000;
    }
    if (*stride == Polynomial::constant(1)) {
      score += 2;
    } else if (!stride->isZero()) {
      score -= 2;
    }
  }
  return score;
}

const Stmt* bestInnermost(const std::vector<Stmt>& loops, const std::vector<Access>& uses) {
  const Stmt* best = &loops.back();
  for (const Stmt& loop : loops) {
    if (innermostScore(uses, loop.name) > innermostScore(uses, best->name)) {
      best = &loop;
    }
  }
  return best;
}

/// Moves the pragmas for threads to the new outermost loop.
void keepThreadsOutermost(std::vector<Stmt>& loops, const std::vector<Stmt>& before) {
  std::vector<std::string> pragmas;
  for (const Stmt& loop : before) {
    pragmas.insert(pragmas.end(), loop.lines.begin(), loop.lines.end());
  }
  for (Stmt& loop : loops) {
    loop.lines.clear();
  }
  loops.front().lines = std::move(pragmas);
}

/// Reorders { s = init; for k { s += e; } C[j] = s; } in loops over j: runs all j for each k.
bool orderSum(Function& function, Stmt& outermost, std::int64_t block) {
  const auto sum = matchSum(function, outermost);
  if (!sum) {
    return false;
  }
  const std::vector<Access> uses = accessesIn({assign(sum->target, "+=", sum->added)});
  const Stmt* inner = bestInnermost(sum->parallel, uses);
  if (innermostScore(uses, inner->name) <= innermostScore(uses, sum->reduced.back().name)) {
    return false;
  }
  Stmt column = *inner;
  column.lines.clear();
  std::vector<Stmt> rows;
  std::ranges::copy_if(sum->parallel, std::back_inserter(rows),
                       [&](const Stmt& loop) { return loop.name != column.name; });
  std::vector<Stmt> blocks;
  if (block > 0) {
    Stmt outer = column;
    outer.name = freshName(function, column.name + "Block");
    outer.step = number(block);
    column.from = name(outer.name);
    column.to = call(fmt::format("std::min<{}>", column.type),
                     {binary("+", name(outer.name), number(block)), outer.to});
    blocks.push_back(std::move(outer));
  }
  std::vector<Stmt> body;
  const auto addLoop = [&](Stmt statement) {
    body.push_back(wrapInLoops({column}, {std::move(statement)}).front());
  };
  if (!sum->accumulatesInTarget) {
    addLoop(assign(sum->target, "=", sum->init));
  }
  std::vector<Stmt> around = sum->reduced;
  around.push_back(column);
  body.push_back(wrapInLoops(around, {assign(sum->target, "+=", sum->added)}).front());
  if (!sum->storesPlainSum()) {
    Expr stored = sum->stored;
    substitute(stored, sum->scalar, sum->target);
    addLoop(assign(sum->target, "=", std::move(stored)));
  }
  blocks.insert(blocks.end(), rows.begin(), rows.end());
  if (blocks.empty()) {
    return false;
  }
  keepThreadsOutermost(blocks, sum->parallel);
  outermost = wrapInLoops(blocks, std::move(body)).front();
  return true;
}

/// Reorders a perfect nest of parallel loops.
bool orderElements(Stmt& outermost) {
  std::vector<Stmt> loops;
  Stmt* at = &outermost;
  while (true) {
    if (!isParallel(*at)) {
      return false;
    }
    Stmt header = *at;
    header.body.clear();
    loops.push_back(std::move(header));
    if (at->body.size() != 1 || at->body[0].kind != Stmt::Kind::loop) {
      break;
    }
    at = at->body.data();
  }
  const bool deeper =
      std::ranges::any_of(at->body, [](const Stmt& s) { return s.kind == Stmt::Kind::loop; });
  std::vector<std::string> variables;
  for (const Stmt& loop : loops) {
    variables.push_back(loop.name);
  }
  const bool plain =
      std::ranges::all_of(loops, [&](const Stmt& loop) { return hasPlainBounds(loop, variables); });
  if (loops.size() < 2 || deeper || !plain) {
    return false;
  }
  const Stmt* best = bestInnermost(loops, accessesIn(at->body));
  if (best->name == loops.back().name) {
    return false;
  }
  const auto place = std::ranges::find(loops, best->name, &Stmt::name);
  std::rotate(place, place + 1, loops.end());
  keepThreadsOutermost(loops, loops);
  outermost = wrapInLoops(loops, at->body).front();
  return true;
}

bool orderIn(Function& function, std::vector<Stmt>& body, std::int64_t block) {
  bool changed = false;
  for (Stmt& s : body) {
    if (s.kind == Stmt::Kind::loop && (orderSum(function, s, block) || orderElements(s))) {
      changed = true;
    } else {
      changed |= orderIn(function, s.body, block);
    }
  }
  return changed;
}

}  // namespace

bool orderLoops(Function& function, const Knobs& knobs) {
  const auto block = knobs.find("block");
  return orderIn(function, function.body, block == knobs.end() ? 0 : block->second);
}

}  // namespace hone::kernel::nest
