#include "kernel/propose/analysis/analysis_cpp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "kernel/nest/affine.h"
#include "kernel/nest/nest_parser.h"
#include "kernel/nest/nest_printer.h"
#include "kernel/nest/nest_walk.h"
#include "kernel/nest/normal_form.h"
#include "kernel/nest/rewrite/cache_calls.h"
#include "kernel/nest/rewrite/fuse_loops.h"
#include "kernel/nest/rewrite/one_pass_statistics.h"
#include "kernel/nest/sum_nest.h"

namespace hone::kernel {
namespace {

using nest::Expr;
using nest::Stmt;

/// "1,920"
std::string grouped(double value) {
  const std::string digits = fmt::format("{:.0f}", std::abs(value));
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) {
      text += ',';
    }
    text += digits[i];
  }
  return text;
}

bool isInnermost(const Stmt& s) {
  bool loops = false;
  nest::visitStatements(s.body,
                        [&](const Stmt& inner) { loops |= inner.kind == Stmt::Kind::loop; });
  return s.kind == Stmt::Kind::loop && !loops;
}

class Reader {
 public:
  Reader(const Task& task, nest::Function function) : task_(task), function_(std::move(function)) {}

  std::vector<Finding> read() {
    nest::visitStatements(function_.body, [&](const Stmt& s) {
      if (isInnermost(s)) {
        strides(s);
        accumulators(s);
        calls(s);
        divisions(s);
      }
    });
    contractions(function_.body);
    rewrites();
    return std::move(findings_);
  }

 private:
  void add(Side side, std::string what, std::string evidence, std::string technique,
           double weight) {
    const auto same = std::ranges::find_if(findings_, [&](const Finding& finding) {
      return finding.what == what && finding.technique == technique;
    });
    if (same == findings_.end()) {
      findings_.push_back(
          {side, std::move(what), std::move(evidence), std::move(technique), weight});
    }
  }

  /// Elements that the innermost loop jumps to.
  void strides(const Stmt& loop) {
    for (const nest::Access& use : nest::accessesIn(loop.body)) {
      const auto at = nest::polynomialOf(use.at);
      const auto stride = at ? at->factorOf(loop.name) : std::nullopt;
      if (!stride || stride->isZero() || *stride == nest::Polynomial::constant(1)) {
        continue;
      }
      const auto elements = stride->valueAt(task_.shape.sizes);
      const std::string step = elements
                                   ? fmt::format("{} bytes", grouped(*elements * 4))
                                   : fmt::format("{} elements", nest::print(stride->expression()));
      add(Side::memory,
          fmt::format("the inner loop over {} jumps through {}", loop.name, use.array),
          fmt::format("line {}: {}[{}] in the loop over {}: a stride of {}", use.line, use.array,
                      nest::print(use.at), loop.name, step),
          "loop-order", 0.6);
    }
  }

  void accumulators(const Stmt& loop) {
    for (const Stmt& s : loop.body) {
      const bool accumulates =
          s.kind == Stmt::Kind::assign && s.target.kind == Expr::Kind::name &&
          nest::elementType(function_, s.target.text) == "float" &&
          (s.op == "+=" || (s.op == "=" && nest::namesIn(s.value).contains(s.target.text))) &&
          !nest::declaredIn(loop.body).contains(s.target.text);
      if (accumulates) {
        add(Side::computation,
            fmt::format("one accumulator ({}): each step waits for the one before", s.target.text),
            fmt::format("line {}: {} {} … in the loop over {}", s.line, s.target.text, s.op,
                        loop.name),
            "vectorization", 0.5);
      }
    }
  }

  void calls(const Stmt& loop) {
    nest::visit(loop.body, [&](const Expr& e, bool) {
      const nest::Math math = e.kind == Expr::Kind::call ? nest::mathOf(e.text) : nest::Math::none;
      if (math == nest::Math::exp || math == nest::Math::tanh) {
        add(Side::computation, fmt::format("{} is called for one element at a time", e.text),
            fmt::format("line {}: {} in the loop over {}", e.line, nest::print(e), loop.name),
            "vectorization", 0.6);
      }
    });
  }

  /// Divisions by, and roots of, what stays the same in the loop.
  void divisions(const Stmt& loop) {
    std::set<std::string> changed = nest::writtenIn(loop.body);
    changed.insert(loop.name);
    const auto stays = [&](const Expr& e) {
      const std::set<std::string> used = nest::namesIn(e);
      return e.kind != Expr::Kind::number &&
             std::ranges::none_of(used, [&](const auto& n) { return changed.contains(n); });
    };
    for (const Stmt& s : loop.body) {
      nest::visit(s, [&](const Expr& e, bool) {
        const bool division = e.kind == Expr::Kind::binary && e.text == "/" && stays(e.args[1]) &&
                              nest::computesFloat(function_, e);
        const bool root = e.kind == Expr::Kind::call && stays(e);
        if (division || root) {
          add(Side::computation,
              division ? "a division by what stays the same" : "a function of what stays the same",
              fmt::format("line {}: {} in the loop over {}", e.line, nest::print(e), loop.name),
              "hoisting", 0.3);
        }
      });
    }
  }

  void contractions(const std::vector<Stmt>& body) {
    for (const Stmt& s : body) {
      const auto found = nest::matchContraction(function_, s);
      if (!found) {
        contractions(s.body);
        continue;
      }
      const std::string evidence =
          fmt::format("line {}: {} * {}: two loads for each product", found->sum.added.line,
                      nest::print(found->left), nest::print(found->right));
      add(Side::memory,
          fmt::format("products of {} and {} without tiles", found->left.text, found->right.text),
          evidence, "register-tile", found->rightInOrder ? 0.85 : 0.4);
      if (found->sum.reduced.size() == 1) {
        add(Side::memory,
            fmt::format("{} is read again and again, not in the order of memory",
                        found->right.text),
            evidence, "packing", 0.9);
      }
    }
  }

  /// What a rewrite would find, with the line where it does.
  void rewrites() {
    nest::Function changed = function_;
    if (nest::cacheCalls(changed, {})) {
      add(Side::algorithm, "an exponential is taken twice of the same", evidenceOf(repeated()),
          "cached-exp", 0.4);
    }
    changed = function_;
    if (nest::fuseLoops(changed, {{"rows", 64}})) {
      const Stmt* temporary = nullptr;
      for (const Stmt& s : function_.body) {
        if (s.kind == Stmt::Kind::declare && s.array && temporary == nullptr) {
          temporary = &s;
        }
      }
      const bool nests =
          !nest::accessesIn(function_.body).empty() && hasContraction(function_.body);
      add(Side::algorithm,
          nests ? "whole matrices are written between nests that could take turns"
                : "loops over the same range are apart",
          temporary == nullptr ? fmt::format("line {}", function_.body.front().line)
                               : fmt::format("line {}: {} holds {} elements", temporary->line,
                                             temporary->name, nest::print(temporary->size)),
          nests ? "online-softmax" : "fusion", nests ? 0.3 : 0.5);
    }
    changed = function_;
    if (nest::onePassStatistics(changed, {})) {
      add(Side::algorithm, "mean and variance take a pass each", "two loops over the same elements",
          "one-pass-statistics", 0.2);
    }
  }

  [[nodiscard]] bool hasContraction(const std::vector<Stmt>& body) const {
    return std::ranges::any_of(body, [&](const Stmt& s) {
      return nest::matchContraction(function_, s).has_value() || hasContraction(s.body);
    });
  }

  /// The last costly call that stands more than once.
  [[nodiscard]] std::optional<Expr> repeated() const {
    std::vector<Expr> seen;
    std::optional<Expr> found;
    nest::visit(function_.body, [&](const Expr& e, bool) {
      if (e.kind == Expr::Kind::call && nest::mathOf(e.text) != nest::Math::none) {
        if (std::ranges::find(seen, e) != seen.end()) {
          found = e;
        }
        seen.push_back(e);
      }
    });
    return found;
  }
  [[nodiscard]] static std::string evidenceOf(const std::optional<Expr>& e) {
    return e ? fmt::format("line {}: {} again", e->line, nest::print(*e)) : "two loops take it";
  }

  const Task& task_;
  nest::Function function_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> cppFindings(const Task& task, const Source& source) {
  auto parsed = nest::parse(source.text);
  if (!parsed) {
    return {};
  }
  auto function = nest::normalized(*std::move(parsed));
  if (!function) {
    return {};
  }
  return Reader(task, *std::move(function)).read();
}

}  // namespace hone::kernel
