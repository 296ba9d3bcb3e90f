#include "search/smt_bounds.h"

#include <algorithm>
#include <vector>

namespace hone::search {
namespace {

/// Numbers at or beyond it stand for "without bound".
constexpr std::int64_t kInfinite = std::int64_t{1} << 62U;
/// Bounds of one variable narrow those of the next; chains of that are short.
constexpr int kRounds = 16;

struct Interval {
  std::int64_t lower = -kInfinite;
  std::int64_t upper = kInfinite;
};

__extension__ using Wide = __int128;

std::int64_t clamped(Wide value) {
  return static_cast<std::int64_t>(
      std::clamp(value, static_cast<Wide>(-kInfinite), static_cast<Wide>(kInfinite)));
}

std::int64_t floorDivided(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

Interval sum(const Interval& a, const Interval& b) {
  return {
      a.lower == -kInfinite || b.lower == -kInfinite ? -kInfinite
                                                     : clamped(Wide{a.lower} + b.lower),
      a.upper == kInfinite || b.upper == kInfinite ? kInfinite : clamped(Wide{a.upper} + b.upper)};
}

Interval product(const Interval& a, const Interval& b) {
  const auto corners = {Wide{a.lower} * b.lower, Wide{a.lower} * b.upper, Wide{a.upper} * b.lower,
                        Wide{a.upper} * b.upper};
  return {clamped(std::min(corners)), clamped(std::max(corners))};
}

Interval quotient(const Interval& value, const Interval& by) {
  if (by.lower < 1) {
    return {};
  }
  const auto corners = {floorDivided(value.lower, by.lower), floorDivided(value.lower, by.upper),
                        floorDivided(value.upper, by.lower), floorDivided(value.upper, by.upper)};
  return {value.lower == -kInfinite ? -kInfinite : std::min(corners),
          value.upper == kInfinite ? kInfinite : std::max(corners)};
}

Interval intersection(const Interval& a, const Interval& b) {
  return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
}

class Narrowing {
 public:
  explicit Narrowing(std::span<const Term> terms)
      : terms_(terms), limits_(terms.size()), intervals_(terms.size()) {}

  /// Goes over all assertions once; whether a bound moved.
  bool round(std::span<const TermId> assertions) {
    moved_ = false;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      intervals_[i] = intersection(limits_[i], intervalOf(terms_[i]));
    }
    for (const TermId assertion : assertions) {
      require(assertion);
    }
    return moved_;
  }

  [[nodiscard]] const Interval& limitOf(TermId term) const { return limits_[term]; }

 private:
  /// From the operands.
  [[nodiscard]] Interval intervalOf(const Term& term) const {
    const auto operand = [&](std::size_t i) { return intervals_[term.operands[i]]; };
    Interval result = term.operands.empty() ? Interval{} : operand(0);
    switch (term.kind) {
      case TermKind::constant:
        return {clamped(term.value), clamped(term.value)};
      case TermKind::variable:
        return term.isBool ? Interval{0, 1} : Interval{};
      case TermKind::add:
        for (std::size_t i = 1; i < term.operands.size(); ++i) {
          result = sum(result, operand(i));
        }
        return result;
      case TermKind::multiply:
        for (std::size_t i = 1; i < term.operands.size(); ++i) {
          result = product(result, operand(i));
        }
        return result;
      case TermKind::subtract:
        return sum(result, {-operand(1).upper, -operand(1).lower});
      case TermKind::divide:
        return quotient(result, operand(1));
      case TermKind::modulo:
        return {0, operand(1).lower < 1 ? kInfinite : operand(1).upper - 1};
      case TermKind::absolute:
        return {0, std::max(-result.lower, result.upper)};
      case TermKind::choose:
        return {std::min(operand(1).lower, operand(2).lower),
                std::max(operand(1).upper, operand(2).upper)};
      default:
        return {0, 1};
    }
  }

  /// The term is true.
  void require(TermId id) {
    const Term& term = terms_[id];
    limit(id, {1, 1});
    if (term.kind == TermKind::logicalAnd) {
      for (const TermId operand : term.operands) {
        require(operand);
      }
    } else if (term.kind == TermKind::less || term.kind == TermKind::lessEqual) {
      const std::int64_t apart = term.kind == TermKind::less ? 1 : 0;
      const Interval left = intervals_[term.operands[0]];
      const Interval right = intervals_[term.operands[1]];
      limit(term.operands[0], sum({-kInfinite, right.upper}, {0, -apart}));
      limit(term.operands[1], sum({left.lower, kInfinite}, {apart, 0}));
    } else if (term.kind == TermKind::equal) {
      limit(term.operands[0], intervals_[term.operands[1]]);
      limit(term.operands[1], intervals_[term.operands[0]]);
      requireDivisor(term.operands[0], term.operands[1]);
      requireDivisor(term.operands[1], term.operands[0]);
    }
  }

  /// Of a positive number no divisor is larger than itself.
  void requireDivisor(TermId id, TermId zero) {
    const Interval rest = intervals_[zero];
    if (terms_[id].kind != TermKind::modulo || rest.lower != 0 || rest.upper != 0) {
      return;
    }
    const Interval value = intervals_[terms_[id].operands[0]];
    if (value.lower >= 1) {
      limit(terms_[id].operands[1], {-value.upper, value.upper});
    }
  }

  /// The term lies within the bounds.
  void limit(TermId id, const Interval& bounds) {
    Interval& known = intervals_[id];
    if (bounds.lower <= known.lower && bounds.upper >= known.upper) {
      return;
    }
    moved_ = true;
    limits_[id] = intersection(limits_[id], bounds);
    known = intersection(known, bounds);
    if (terms_[id].kind == TermKind::multiply) {
      limitFactors(terms_[id], bounds.upper);
    }
  }

  /// Where all factors are positive, none is larger than what the product of the others leaves.
  void limitFactors(const Term& term, std::int64_t upper) {
    for (std::size_t i = 0; i < term.operands.size(); ++i) {
      Interval others{1, 1};
      for (std::size_t j = 0; j < term.operands.size(); ++j) {
        if (intervals_[term.operands[j]].lower < 1 || upper == kInfinite) {
          return;
        }
        others = i == j ? others : product(others, intervals_[term.operands[j]]);
      }
      limit(term.operands[i], {-kInfinite, floorDivided(upper, others.lower)});
    }
  }

  std::span<const Term> terms_;
  std::vector<Interval> limits_;     ///< what the assertions say of each term
  std::vector<Interval> intervals_;  ///< with what its operands allow
  bool moved_ = false;
};

}  // namespace

void deriveBounds(std::span<Variable> variables, std::span<const Term> terms,
                  std::span<const TermId> assertions) {
  Narrowing narrowing(terms);
  for (int round = 0; round < kRounds && narrowing.round(assertions); ++round) {
  }
  for (TermId id = 0; id < terms.size(); ++id) {
    if (terms[id].kind != TermKind::variable) {
      continue;
    }
    const Interval& limit = narrowing.limitOf(id);
    Variable& variable = variables[static_cast<std::size_t>(terms[id].value)];
    variable.lower = limit.lower > -kInfinite ? std::optional(limit.lower) : std::nullopt;
    variable.upper = limit.upper < kInfinite ? std::optional(limit.upper) : std::nullopt;
    if (variable.isBool) {
      variable.lower = variable.lower.value_or(0);
      variable.upper = variable.upper.value_or(1);
    }
  }
}

}  // namespace hone::search
