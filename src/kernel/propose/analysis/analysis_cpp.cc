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

/// Formats a number with thousands separators: "1,920".
std::string groupDigits(double value) {
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

/// Collects the findings of one kernel.
class FindingCollector {
 public:
  FindingCollector(const Task& task, nest::Function function)
      : task_(task), function_(std::move(function)) {}

  std::vector<Finding> collect() {
    nest::visitStatements(function_.body, [&](const Stmt& s) {
      if (isInnermost(s)) {
        findStrides(s);
        findAccumulators(s);
        findCalls(s);
        findDivisions(s);
      }
    });
    findContractions(function_.body);
    findRewrites();
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

  /// Finds strided accesses of an innermost loop.
  void findStrides(const Stmt& loop) {
    for (const nest::Access& use : nest::accessesIn(loop.body)) {
      const auto at = nest::toPolynomial(use.at);
      const auto stride = at ? at->coefficientOf(loop.name) : std::nullopt;
      if (!stride || stride->isZero() || *stride == nest::Polynomial::constant(1)) {
        continue;
      }
      const auto elements = stride->evaluate(task_.shape.sizes);
      const std::string step = elements
                                   ? fmt::format("{} bytes", groupDigits(*elements * 4))
                                   : fmt::format("{} elements", nest::print(stride->expression()));
      add(Side::memory,
          fmt::format("strided access to {} in the inner loop over {}", use.array, loop.name),
          fmt::format("line {}: {}[{}] in the loop over {}: stride of {}", use.line, use.array,
                      nest::print(use.at), loop.name, step),
          "loop-order", 0.6);
    }
  }

  void findAccumulators(const Stmt& loop) {
    for (const Stmt& s : loop.body) {
      const bool accumulates =
          s.kind == Stmt::Kind::assign && s.target.kind == Expr::Kind::name &&
          nest::elementType(function_, s.target.text) == "float" &&
          (s.op == "+=" || (s.op == "=" && nest::namesIn(s.value).contains(s.target.text))) &&
          !nest::declaredIn(loop.body).contains(s.target.text);
      if (accumulates) {
        add(Side::computation,
            fmt::format("single accumulator ({}): each iteration depends on the previous one",
                        s.target.text),
            fmt::format("line {}: {} {} … in the loop over {}", s.line, s.target.text, s.op,
                        loop.name),
            "vectorization", 0.5);
      }
    }
  }

  void findCalls(const Stmt& loop) {
    nest::visit(loop.body, [&](const Expr& e, bool) {
      const nest::Math math =
          e.kind == Expr::Kind::call ? nest::lookupMath(e.text) : nest::Math::none;
      if (math == nest::Math::exp || math == nest::Math::tanh) {
        add(Side::computation, fmt::format("{} is called for one element at a time", e.text),
            fmt::format("line {}: {} in the loop over {}", e.line, nest::print(e), loop.name),
            "vectorization", 0.6);
      }
    });
  }

  /// Finds divisions by loop invariants, and functions of them.
  void findDivisions(const Stmt& loop) {
    std::set<std::string> changed = nest::writtenIn(loop.body);
    changed.insert(loop.name);
    const auto isInvariant = [&](const Expr& e) {
      const std::set<std::string> used = nest::namesIn(e);
      return e.kind != Expr::Kind::number &&
             std::ranges::none_of(used, [&](const auto& n) { return changed.contains(n); });
    };
    for (const Stmt& s : loop.body) {
      nest::visit(s, [&](const Expr& e, bool) {
        const bool division = e.kind == Expr::Kind::binary && e.text == "/" &&
                              isInvariant(e.args[1]) && nest::computesFloat(function_, e);
        const bool invariantCall = e.kind == Expr::Kind::call && isInvariant(e);
        if (division || invariantCall) {
          add(Side::computation,
              division ? "division by a loop invariant" : "function of a loop invariant",
              fmt::format("line {}: {} in the loop over {}", e.line, nest::print(e), loop.name),
              "hoisting", 0.3);
        }
      });
    }
  }

  void findContractions(const std::vector<Stmt>& body) {
    for (const Stmt& s : body) {
      const auto found = nest::matchContraction(function_, s);
      if (!found) {
        findContractions(s.body);
        continue;
      }
      const std::string evidence =
          fmt::format("line {}: {} * {}: two loads per product", found->sum.added.line,
                      nest::print(found->left), nest::print(found->right));
      add(Side::memory,
          fmt::format("untiled products of {} and {}", found->left.text, found->right.text),
          evidence, "register-tile", found->rightInOrder ? 0.85 : 0.4);
      if (found->sum.reduced.size() == 1) {
        add(Side::memory,
            fmt::format("{} is read repeatedly and not contiguously", found->right.text), evidence,
            "packing", 0.9);
      }
    }
  }

  /// Finds bottlenecks by applying rewrites to a copy.
  void findRewrites() {
    nest::Function changed = function_;
    if (nest::cacheCalls(changed, {})) {
      add(Side::algorithm, "the same exponential is computed twice",
          repeatedCallEvidence(repeatedCall()), "cached-exp", 0.4);
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
          nests ? "whole matrices are stored between nests that could be interleaved"
                : "loops over the same range are not fused",
          temporary == nullptr ? fmt::format("line {}", function_.body.front().line)
                               : fmt::format("line {}: {} holds {} elements", temporary->line,
                                             temporary->name, nest::print(temporary->size)),
          nests ? "online-softmax" : "fusion", nests ? 0.3 : 0.5);
    }
    changed = function_;
    if (nest::onePassStatistics(changed, {})) {
      add(Side::algorithm, "mean and variance take one pass each",
          "two loops over the same elements", "one-pass-statistics", 0.2);
    }
  }

  [[nodiscard]] bool hasContraction(const std::vector<Stmt>& body) const {
    return std::ranges::any_of(body, [&](const Stmt& s) {
      return nest::matchContraction(function_, s).has_value() || hasContraction(s.body);
    });
  }

  /// Returns the last math call that occurs more than once.
  [[nodiscard]] std::optional<Expr> repeatedCall() const {
    std::vector<Expr> seen;
    std::optional<Expr> found;
    nest::visit(function_.body, [&](const Expr& e, bool) {
      if (e.kind == Expr::Kind::call && nest::lookupMath(e.text) != nest::Math::none) {
        if (std::ranges::find(seen, e) != seen.end()) {
          found = e;
        }
        seen.push_back(e);
      }
    });
    return found;
  }
  [[nodiscard]] static std::string repeatedCallEvidence(const std::optional<Expr>& e) {
    return e ? fmt::format("line {}: {} is repeated", e->line, nest::print(*e))
             : "two loops compute it";
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
  auto function = nest::normalize(*std::move(parsed));
  if (!function) {
    return {};
  }
  return FindingCollector(task, *std::move(function)).collect();
}

}  // namespace hone::kernel
