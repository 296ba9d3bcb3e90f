#include "search/constraints/listing.h"

#include <algorithm>
#include <span>

#include "base/random.h"
#include "search/constraints/listing_domains.h"
#include "search/constraints/listing_plan.h"
#include "search/constraints/smt_evaluate.h"

namespace hone::search {
namespace {

constexpr std::size_t kOversampling = 16;

using Point = std::vector<std::int64_t>;

/// Depth-first search through the steps of a plan.
class Lister {
 public:
  Lister(const Constraints& constraints, const std::vector<Domain>& domains,
         const ListingPlan& plan, const std::vector<std::size_t>& knobs, std::size_t limit)
      : constraints_(constraints),
        domains_(domains),
        plan_(plan),
        knobs_(knobs),
        limit_(limit),
        values_(constraints.variables().size()),
        terms_(constraints.terms().size()) {}

  Result<void> run() {
    if (holds(plan_.before)) {
      list(0);
    }
    if (unbounded_) {
      return userError(
          "cannot list the values of '{}': the constraints have no usable bounds on it",
          constraints_.variables()[*unbounded_].name);
    }
    return {};
  }

  [[nodiscard]] bool complete() const { return found_ <= limit_; }
  [[nodiscard]] std::vector<Point> take() { return std::move(points_); }

 private:
  bool holds(std::span<const Step::Due> due) {
    for (const auto& [term, asserted] : due) {
      terms_[term] = evaluate(constraints_.terms()[term], values_, terms_);
      if (asserted && terms_[term].value_or(0) == 0) {
        return false;
      }
    }
    return true;
  }

  /// Calls `then` for each value that satisfies the assertions decided by this step. Stops and
  /// returns true as soon as `then` returns true.
  template <typename Then>
  bool forEachValue(const Step& step, const Then& then) {
    const auto stops = [&](std::int64_t value) {
      values_[step.variable] = value;
      return holds(step.due) && then();
    };
    const Domain& domain = domains_[step.variable];
    if (step.solution) {
      const Solved solved = solve(*step.solution);
      if (!solved.any) {
        return solved.value && domain.contains(*solved.value) && stops(*solved.value);
      }
      if (!domain.listed) {
        unbounded_ = step.variable;
        return true;
      }
    }
    return std::any_of(domain.values.begin(), domain.values.end(), stops);
  }

  /// Returns true to stop the search.
  bool list(std::size_t at) {
    if (at == plan_.knobsEnd) {
      if (hasSolution(at) && !unbounded_) {
        keep();
      }
      return unbounded_ || found_ >= limit_ * kOversampling;
    }
    return forEachValue(plan_.steps[at], [&] { return list(at + 1); });
  }

  bool hasSolution(std::size_t at) {
    return at == plan_.steps.size() ||
           forEachValue(plan_.steps[at], [&] { return hasSolution(at + 1); });
  }

  void keep() {
    const std::size_t place = found_ < limit_ ? found_ : random_.below(found_ + 1);
    ++found_;
    if (place >= limit_) {
      return;
    }
    Point point;
    point.reserve(knobs_.size());
    for (const std::size_t knob : knobs_) {
      point.push_back(values_[knob].value());
    }
    if (place == points_.size()) {
      points_.push_back(std::move(point));
    } else {
      points_[place] = std::move(point);
    }
  }

  struct Solved {
    Known value;       ///< nothing: no solution
    bool any = false;  ///< every value is a solution: the factor is zero
  };

  [[nodiscard]] Solved solve(const Solution& solution) const {
    Known value = terms_[solution.value];
    for (const auto& [id, open] : solution.path) {
      const Term& term = constraints_.terms()[id];
      const bool sums = term.kind != TermKind::multiply;
      std::int64_t others = sums ? 0 : 1;
      for (std::size_t i = 0; i < term.operands.size() && value; ++i) {
        const Known operand = i == open ? Known(sums ? 0 : 1) : terms_[term.operands[i]];
        if (!operand || (sums ? __builtin_add_overflow(others, *operand, &others)
                              : __builtin_mul_overflow(others, *operand, &others))) {
          value.reset();
        }
      }
      if (!value) {
        return {};
      }
      if (!sums && others == 0) {
        return {std::nullopt, *value == 0};
      }
      value = invertOperation(term.kind, open, *value, others);
    }
    return {value};
  }

  /// Computes the open operand from the term's value and its other operands combined.
  static Known invertOperation(TermKind kind, std::size_t open, std::int64_t value,
                               std::int64_t others) {
    std::int64_t result = 0;
    if (kind == TermKind::multiply) {
      return value == INT64_MIN || value % others != 0 ? Known() : Known(value / others);
    }
    const bool overflows =
        kind == TermKind::subtract && open == 0 ? __builtin_add_overflow(value, others, &result)
        : kind == TermKind::subtract            ? __builtin_sub_overflow(others, value, &result)
                                                : __builtin_sub_overflow(value, others, &result);
    return overflows ? Known() : Known(result);
  }

  const Constraints& constraints_;
  const std::vector<Domain>& domains_;
  const ListingPlan& plan_;
  const std::vector<std::size_t>& knobs_;
  std::size_t limit_;
  std::vector<Known> values_;
  std::vector<Known> terms_;
  std::vector<Point> points_;
  std::size_t found_ = 0;
  std::optional<std::size_t> unbounded_;
  Random random_{1};
};

void fillIn(std::vector<Knob>& knobs, const std::vector<Point>& points) {
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    std::vector<std::int64_t>& values = knobs[i].values;
    values.clear();
    for (const Point& point : points) {
      values.push_back(point[i]);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
}

}  // namespace

Result<Listing> listPoints(const Constraints& constraints, std::vector<Knob> knobs,
                           std::size_t limit) {
  std::vector<std::size_t> variables;
  for (const Knob& knob : knobs) {
    const auto variable = constraints.find(knob.name);
    if (!variable) {
      return userError("no variable for the knob '{}' in the constraints", knob.name);
    }
    variables.push_back(*variable);
  }
  const std::vector<Domain> domains = computeDomains(constraints);
  const ListingPlan plan = HONE_TRY(planVariables(constraints, domains, variables));
  Lister lister(constraints, domains, plan, variables, limit);
  HONE_CHECK(lister.run());
  std::vector<Point> points = lister.take();
  fillIn(knobs, points);
  return Listing{Space(std::move(knobs), std::move(points)), lister.complete()};
}

Result<Listing> listPoints(const Constraints& constraints,
                           const std::vector<std::string>& knobNames, std::size_t limit) {
  std::vector<Knob> knobs;
  for (const std::string& name : knobNames) {
    knobs.push_back({name, {}, true});
  }
  return listPoints(constraints, std::move(knobs), limit);
}

}  // namespace hone::search
