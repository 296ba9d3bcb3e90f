#include "kernel/nest/rewrite/vectorize_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "kernel/nest/affine.h"
#include "kernel/nest/nest_printer.h"
#include "kernel/nest/nest_walk.h"
#include "kernel/nest/normal_form.h"
#include "kernel/nest/rewrite/vector_code.h"

namespace hone::kernel::nest {
namespace {

/// A scalar into which a loop accumulates a sum, maximum or minimum.
struct Accumulator {
  std::string name;
  Math kind = Math::none;  ///< none: a sum
};

/// Generates the vector code of one innermost loop.
class LoopWriter {
 public:
  LoopWriter(Function& function, const Stmt& loop, std::int64_t width, std::int64_t unroll)
      : function_(function), loop_(loop), width_(width), unroll_(unroll) {}

  /// Returns the code that replaces the loop; nothing if the loop cannot be vectorized.
  std::optional<std::vector<std::string>> write() {
    if (loop_.step != number(1) || !classify() || !storesAreSafe()) {
      return std::nullopt;
    }
    if (accumulators_.empty()) {
      copies_ = 1;
    } else {
      copies_ = unroll_;
    }
    std::vector<std::vector<std::string>> bodies;
    for (std::int64_t copy = 0; copy < copies_; ++copy) {
      auto body = vectorBody(copy);
      if (!body) {
        return std::nullopt;
      }
      bodies.push_back(std::move(*body));
    }
    ensureVectors(function_, width_);
    return assemble(bodies);
  }

 private:
  /// Finds the loop's local scalars and accumulators; returns false if it has anything unsupported.
  bool classify() {
    for (const Stmt& s : loop_.body) {
      if (s.kind == Stmt::Kind::declare) {
        if (s.type != "float" || s.array || !s.hasValue) {
          return false;
        }
        locals_.insert(s.name);
        continue;
      }
      const bool outside = s.kind == Stmt::Kind::assign && s.target.kind == Expr::Kind::name &&
                           !locals_.contains(s.target.text);
      if (s.kind != Stmt::Kind::assign || (outside && !addAccumulator(s))) {
        return false;
      }
    }
    for (const Accumulator& one : accumulators_) {
      std::size_t reads = 0;
      visit(loop_.body, [&](const Expr& e, bool written) {
        reads += !written && e.kind == Expr::Kind::name && e.text == one.name ? 1 : 0;
      });
      if (reads != 1 || elementType(function_, one.name) != "float") {
        return false;
      }
    }
    return true;
  }

  bool addAccumulator(const Stmt& s) {
    if (std::ranges::find(accumulators_, s.target.text, &Accumulator::name) !=
        accumulators_.end()) {
      return false;
    }
    if (s.op == "+=") {
      accumulators_.push_back({s.target.text, Math::none});
      return true;
    }
    const Math math = s.value.kind == Expr::Kind::call ? lookupMath(s.value.text) : Math::none;
    if (s.op != "=" || (math != Math::max && math != Math::min) || s.value.args.size() != 2 ||
        (s.value.args[0] != s.target && s.value.args[1] != s.target)) {
      return false;
    }
    accumulators_.push_back({s.target.text, math});
    return true;
  }

  /// Returns true if stores are contiguous and stored arrays are only accessed at the same index.
  [[nodiscard]] bool storesAreSafe() {
    const std::vector<Access> uses = accessesIn(loop_.body);
    const VectorCode code(function_, loop_.name, locals_);
    for (const Access& store : uses) {
      if (!store.written) {
        continue;
      }
      if (code.computeStride(index(store.array, store.at)) != 1) {
        return false;
      }
      for (const Access& other : uses) {
        if (other.array == store.array && toPolynomial(other.at) != toPolynomial(store.at)) {
          return false;
        }
      }
    }
    return true;
  }

  [[nodiscard]] static std::string partName(const std::string& name, std::int64_t copy) {
    return fmt::format("{}Part{}", name, copy);
  }

  std::optional<std::vector<std::string>> vectorBody(std::int64_t copy) {
    std::vector<Stmt> body = loop_.body;
    if (copy > 0) {
      substitute(body, loop_.name, binary("+", name(loop_.name), number(copy * width_)));
    }
    VectorCode code(function_, loop_.name, locals_);
    std::vector<std::string> lines;
    for (const Stmt& s : body) {
      const bool accumulates = s.kind == Stmt::Kind::assign && s.target.kind == Expr::Kind::name &&
                               !locals_.contains(s.target.text);
      auto value = code.vector(accumulates ? accumulatedValue(s) : s.value);
      if (!value) {
        return std::nullopt;
      }
      const std::string text = print(*value);
      if (s.kind == Stmt::Kind::declare) {
        lines.push_back(fmt::format("Vector {} = {};", s.name, text));
      } else if (accumulates) {
        lines.push_back(accumulate(s, copy, text));
      } else if (s.target.kind == Expr::Kind::name) {
        lines.push_back(fmt::format("{} {} {};", s.target.text, s.op, text));
      } else {
        const std::string target = print(s.target);
        lines.push_back(s.op == "=" ? fmt::format("store(&{}, {});", target, text)
                                    : fmt::format("store(&{}, load(&{}) {} ({}));", target, target,
                                                  s.op.substr(0, 1), text));
      }
    }
    return lines;
  }

  /// Returns the value that is added to an accumulator.
  [[nodiscard]] static Expr accumulatedValue(const Stmt& s) {
    if (s.op == "+=") {
      return s.value;
    }
    return s.value.args[0] == s.target ? s.value.args[1] : s.value.args[0];
  }

  [[nodiscard]] std::string accumulate(const Stmt& s, std::int64_t copy,
                                       const std::string& value) const {
    const std::string part = partName(s.target.text, copy);
    if (s.op == "+=") {
      return fmt::format("{} += {};", part, value);
    }
    const bool max = lookupMath(s.value.text) == Math::max;
    return fmt::format("{} = {}({}, {});", part, max ? "maxOf" : "minOf", part, value);
  }

  void declareParts(std::vector<std::string>& out) {
    for (const Accumulator& one : accumulators_) {
      ensureReduction(function_, one.kind);
      for (std::int64_t copy = 0; copy < copies_; ++copy) {
        out.push_back(fmt::format("  Vector {} = all({});", partName(one.name, copy),
                                  one.kind == Math::none ? "0.0f" : one.name));
      }
    }
  }

  void reduceParts(std::vector<std::string>& out) const {
    for (const Accumulator& one : accumulators_) {
      std::string parts = partName(one.name, 0);
      for (std::int64_t copy = 1; copy < copies_; ++copy) {
        const std::string more = partName(one.name, copy);
        parts =
            one.kind == Math::none
                ? fmt::format("{} + {}", parts, more)
                : fmt::format("{}({}, {})", one.kind == Math::max ? "maxOf" : "minOf", parts, more);
      }
      out.push_back(one.kind == Math::none
                        ? fmt::format("  {} += sumOf({});", one.name, parts)
                        : fmt::format("  {} = {}({});", one.name,
                                      one.kind == Math::max ? "largestOf" : "smallestOf", parts));
    }
  }

  std::vector<std::string> assemble(const std::vector<std::vector<std::string>>& bodies) {
    const std::string last = freshName(function_, loop_.name + "End");
    const std::string& v = loop_.name;
    std::vector<std::string> out = {
        "{", fmt::format("  {} {} = {};", loop_.type, v, print(loop_.from)),
        fmt::format("  const {} {} = {};", loop_.type, last, print(loop_.to))};
    declareParts(out);
    if (copies_ > 1) {
      out.push_back(fmt::format("  for (; {} + {} <= {}; {} += {}) {{", v, copies_ * width_, last,
                                v, copies_ * width_));
      for (const auto& body : bodies) {
        out.emplace_back("    {");
        for (const std::string& line : body) {
          out.push_back("      " + line);
        }
        out.emplace_back("    }");
      }
      out.emplace_back("  }");
    } else if (unroll_ > 1) {
      out.push_back(fmt::format("#pragma GCC unroll {}", unroll_));
    }
    out.push_back(fmt::format("  for (; {} + {} <= {}; {} += {}) {{", v, width_, last, v, width_));
    for (const std::string& line : bodies.front()) {
      out.push_back("    " + line);
    }
    out.emplace_back("  }");
    reduceParts(out);
    out.push_back(fmt::format("  for (; {} < {}; ++{}) {{", v, last, v));
    for (Stmt s : loop_.body) {
      s.value = scalarCode(function_, std::move(s.value));
      for (const std::string& line : printLines(s, 4)) {
        out.push_back(line);
      }
    }
    out.emplace_back("  }");
    out.emplace_back("}");
    return out;
  }

  Function& function_;
  const Stmt& loop_;
  std::int64_t width_;
  std::int64_t unroll_;
  std::int64_t copies_ = 1;
  std::set<std::string> locals_;
  std::vector<Accumulator> accumulators_;
};

bool isInnermost(const Stmt& s) {
  bool loops = false;
  visitStatements(s.body, [&](const Stmt& inner) {
    loops |= inner.kind == Stmt::Kind::loop || inner.kind == Stmt::Kind::raw;
  });
  return s.kind == Stmt::Kind::loop && !loops;
}

bool vectorizeIn(Function& function, std::vector<Stmt>& body, std::int64_t width,
                 std::int64_t unroll) {
  bool changed = false;
  for (Stmt& s : body) {
    if (!isInnermost(s)) {
      changed |= vectorizeIn(function, s.body, width, unroll);
      changed |= vectorizeIn(function, s.otherwise, width, unroll);
      continue;
    }
    const std::vector<std::string> helpers = function.helpers;
    if (!s.lines.empty()) {
      continue;  // it runs on threads
    }
    ensureVectors(function, width);
    const Stmt loop = s;
    if (auto lines = LoopWriter(function, loop, width, unroll).write()) {
      s = raw(std::move(*lines));
      changed = true;
    } else {
      function.helpers = helpers;
    }
  }
  return changed;
}

}  // namespace

bool vectorizeLoops(Function& function, const Knobs& knobs) {
  return vectorizeIn(function, function.body, knobs.at("width"), knobs.at("unroll"));
}

}  // namespace hone::kernel::nest
