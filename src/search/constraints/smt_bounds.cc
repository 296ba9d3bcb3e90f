#include "search/constraints/smt_bounds.h"

#include <algorithm>
#include <vector>

namespace hone::search {
namespace {

/// Values at or beyond it mean "unbounded".
constexpr std::int64_t kInfinite = std::int64_t{1} << 62U;
/// Bounds of one variable narrow those of others; such chains are short.
constexpr int kRounds = 16;
/// Limits the nesting of alternatives, because each is tried on a copy.
constexpr int kMaxAlternativeDepth = 2;

struct Interval {
  std::int64_t lower = -kInfinite;
  std::int64_t upper = kInfinite;
};

__extension__ using Wide = __int128;

std::int64_t clamp(Wide value) {
  return static_cast<std::int64_t>(
      std::clamp(value, static_cast<Wide>(-kInfinite), static_cast<Wide>(kInfinite)));
}

std::int64_t floorDivide(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

Interval sum(const Interval& a, const Interval& b) {
  return {
      a.lower == -kInfinite || b.lower == -kInfinite ? -kInfinite : clamp(Wide{a.lower} + b.lower),
      a.upper == kInfinite || b.upper == kInfinite ? kInfinite : clamp(Wide{a.upper} + b.upper)};
}

Interval product(const Interval& a, const Interval& b) {
  const auto corners = {Wide{a.lower} * b.lower, Wide{a.lower} * b.upper, Wide{a.upper} * b.lower,
                        Wide{a.upper} * b.upper};
  return {clamp(std::min(corners)), clamp(std::max(corners))};
}

Interval quotient(const Interval& value, const Interval& by) {
  if (by.lower < 1 || by.upper < by.lower) {
    return {};
  }
  const auto corners = {floorDivide(value.lower, by.lower), floorDivide(value.lower, by.upper),
                        floorDivide(value.upper, by.lower), floorDivide(value.upper, by.upper)};
  return {value.lower == -kInfinite ? -kInfinite : std::min(corners),
          value.upper == kInfinite ? kInfinite : std::max(corners)};
}

Interval negated(const Interval& a) { return {-a.upper, -a.lower}; }

Interval intersection(const Interval& a, const Interval& b) {
  return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
}

Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

class Narrowing {
 public:
  explicit Narrowing(std::span<const Term> terms)
      : terms_(terms), limits_(terms.size()), intervals_(terms.size()) {}

  /// Processes all assertions once; returns true if a bound changed.
  bool round(std::span<const TermId> assertions) {
    moved_ = false;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      intervals_[i] = intersection(limits_[i], computeInterval(terms_[i]));
    }
    for (const TermId assertion : assertions) {
      require(assertion);
    }
    return moved_;
  }

  [[nodiscard]] const Interval& narrowed(TermId term) const { return limits_[term]; }

 private:
  /// Computes the interval from the operands.
  [[nodiscard]] Interval computeInterval(const Term& term) const {
    const auto operand = [&](std::size_t i) { return intervals_[term.operands[i]]; };
    Interval result = term.operands.empty() ? Interval{} : operand(0);
    switch (term.kind) {
      case TermKind::constant:
        return {clamp(term.value), clamp(term.value)};
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
        return sum(result, negated(operand(1)));
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

  /// Narrows bounds, given that the term is true.
  void require(TermId id) {
    const Term& term = terms_[id];
    limit(id, {1, 1});
    switch (term.kind) {
      case TermKind::logicalAnd:
        for (const TermId operand : term.operands) {
          require(operand);
        }
        break;
      case TermKind::logicalOr:
        requireOne(term);
        break;
      case TermKind::logicalNot:
        forbid(term.operands[0]);
        break;
      case TermKind::less:
        requireOrder(term.operands[0], term.operands[1], 1);
        break;
      case TermKind::lessEqual:
        requireOrder(term.operands[0], term.operands[1], 0);
        break;
      case TermKind::equal:
        limit(term.operands[0], intervals_[term.operands[1]]);
        limit(term.operands[1], intervals_[term.operands[0]]);
        requireDivisor(term.operands[0], term.operands[1]);
        requireDivisor(term.operands[1], term.operands[0]);
        break;
      default:
        break;
    }
  }

  /// Narrows bounds, given that the term is false.
  void forbid(TermId id) {
    const Term& term = terms_[id];
    limit(id, {0, 0});
    if (term.kind == TermKind::logicalOr) {
      for (const TermId operand : term.operands) {
        forbid(operand);
      }
    } else if (term.kind == TermKind::logicalNot) {
      require(term.operands[0]);
    } else if (term.kind == TermKind::less || term.kind == TermKind::lessEqual) {
      requireOrder(term.operands[1], term.operands[0], term.kind == TermKind::less ? 0 : 1);
    }
  }

  /// Narrows bounds, given left + apart <= right.
  void requireOrder(TermId left, TermId right, std::int64_t apart) {
    limit(left, sum({-kInfinite, intervals_[right].upper}, {0, -apart}));
    limit(right, sum({intervals_[left].lower, kInfinite}, {apart, 0}));
  }

  /// Narrows each variable to the hull of its bounds in the alternatives that can hold.
  void requireOne(const Term& term) {
    if (depth_ == kMaxAlternativeDepth) {
      return;
    }
    std::vector<Interval> hulls(terms_.size(), {kInfinite, -kInfinite});
    for (const TermId operand : term.operands) {
      Narrowing alternative = *this;
      ++alternative.depth_;
      alternative.require(operand);
      for (std::size_t i = 0; i < terms_.size() && !alternative.contradicted_; ++i) {
        hulls[i] = hull(hulls[i], alternative.intervals_[i]);
      }
    }
    for (TermId id = 0; id < terms_.size(); ++id) {
      if (terms_[id].kind == TermKind::variable) {
        limit(id, hulls[id]);
      }
    }
  }

  /// Bounds a divisor: it is not larger than the positive number that it divides.
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

  /// Narrows bounds, given that the term lies within `bounds`.
  void limit(TermId id, const Interval& bounds) {
    Interval& known = intervals_[id];
    if (bounds.lower <= known.lower && bounds.upper >= known.upper) {
      return;
    }
    moved_ = true;
    limits_[id] = intersection(limits_[id], bounds);
    known = intersection(known, bounds);
    contradicted_ = contradicted_ || known.lower > known.upper;
    const Term& term = terms_[id];
    if (term.kind == TermKind::multiply) {
      limitFactors(term, bounds.upper);
    } else if (term.kind == TermKind::add) {
      limitSummands(term, known);
    } else if (term.kind == TermKind::subtract) {
      const Interval result = known;
      limit(term.operands[0], sum(result, intervals_[term.operands[1]]));
      limit(term.operands[1], sum(intervals_[term.operands[0]], negated(result)));
    }
  }

  /// Bounds each summand by the total minus the others.
  void limitSummands(const Term& term, Interval total) {
    for (std::size_t i = 0; i < term.operands.size(); ++i) {
      Interval left = total;
      for (std::size_t j = 0; j < term.operands.size(); ++j) {
        left = i == j ? left : sum(left, negated(intervals_[term.operands[j]]));
      }
      limit(term.operands[i], left);
    }
  }

  /// Bounds each factor by the product divided by the others, if all factors are positive.
  void limitFactors(const Term& term, std::int64_t upper) {
    for (std::size_t i = 0; i < term.operands.size(); ++i) {
      Interval others{1, 1};
      for (std::size_t j = 0; j < term.operands.size(); ++j) {
        if (intervals_[term.operands[j]].lower < 1 || upper == kInfinite) {
          return;
        }
        others = i == j ? others : product(others, intervals_[term.operands[j]]);
      }
      if (others.lower >= 1) {  // otherwise a term has no possible value
        limit(term.operands[i], {-kInfinite, floorDivide(upper, others.lower)});
      }
    }
  }

  std::span<const Term> terms_;
  std::vector<Interval> limits_;     ///< bounds of each term from the assertions
  std::vector<Interval> intervals_;  ///< intersected with the bounds from its operands
  bool moved_ = false;
  bool contradicted_ = false;  ///< a term has no possible value
  int depth_ = 0;              ///< nesting of alternatives
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
    const Interval& limit = narrowing.narrowed(id);
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
