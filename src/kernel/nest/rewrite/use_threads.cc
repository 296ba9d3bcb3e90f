#include "kernel/nest/rewrite/use_threads.h"

#include <algorithm>

#include "kernel/nest/dependence.h"
#include "kernel/nest/nest_walk.h"

namespace hone::kernel::nest {
namespace {

/// Returns the loop with the temporaries that only it uses declared inside, so that they are
/// private to each thread.
Stmt privatizeTemporaries(const std::vector<Stmt>& body, const Stmt& loop,
                          std::vector<std::string>& moved) {
  Stmt result = loop;
  for (const Stmt& s : body) {
    if (s.kind != Stmt::Kind::declare || !s.array || !occurs(loop.body, s.name)) {
      continue;
    }
    const bool usedElsewhere = std::ranges::any_of(body, [&](const Stmt& other) {
      return &other != &loop && &other != &s && occurs({other}, s.name);
    });
    if (!usedElsewhere) {
      result.body.insert(result.body.begin(), s);
      moved.push_back(s.name);
    }
  }
  return result;
}

bool parallelizeIn(std::vector<Stmt>& body) {
  bool changed = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i].kind != Stmt::Kind::loop) {
      continue;
    }
    std::vector<std::string> moved;
    Stmt loop = isParallel(body[i]) ? body[i] : privatizeTemporaries(body, body[i], moved);
    if (!isParallel(loop)) {
      changed |= parallelizeIn(body[i].body);
      continue;
    }
    loop.lines.emplace_back("#pragma omp parallel for");
    body[i] = std::move(loop);
    const auto before = body.size();
    std::erase_if(body, [&](const Stmt& s) {
      return s.kind == Stmt::Kind::declare && std::ranges::find(moved, s.name) != moved.end();
    });
    i -= before - body.size();
    changed = true;
  }
  return changed;
}

}  // namespace

bool useThreads(Function& function, const Knobs& /*knobs*/) { return parallelizeIn(function.body); }

}  // namespace hone::kernel::nest
