#include "search/constraints/listing_plan.h"

#include <algorithm>

namespace hone::search {
namespace {

class Planner {
 public:
  Planner(const Constraints& constraints, const std::vector<Domain>& domains,
          const std::vector<std::size_t>& knobs)
      : constraints_(constraints),
        domains_(domains),
        wanted_(constraints.variables().size()),
        isKnob_(constraints.variables().size()),
        open_(constraints.terms().size()),
        used_(constraints.terms().size()),
        asserted_(constraints.terms().size()) {
    for (const std::size_t knob : knobs) {
      wanted_[knob] = true;
      isKnob_[knob] = true;
    }
    for (const Constraints::Assertion& assertion : constraints.assertions()) {
      asserted_[assertion.term] = true;
      collectEquations(assertion.term);
      for (const TermId term : assertion.terms) {
        used_[term] = true;
      }
      for (const std::size_t variable : assertion.variables) {
        wanted_[variable] = true;
      }
    }
  }

  Result<ListingPlan> run() {
    updateOpen();
    plan_.before = takeDue();
    while (true) {
      if (auto step = determined()) {
        take(std::move(*step));
      } else if (const auto next = chooseVariable()) {
        if (!domains_[*next].listed) {
          return userError(
              "cannot list the values of '{}': the constraints have no usable bounds on it",
              constraints_.variables()[*next].name);
        }
        take({*next, std::nullopt, {}});
      } else {
        return std::move(plan_);
      }
    }
  }

 private:
  void collectEquations(TermId id) {
    const Term& term = constraints_.terms()[id];
    if (term.kind == TermKind::logicalAnd) {
      for (const TermId operand : term.operands) {
        collectEquations(operand);
      }
    } else if (term.kind == TermKind::equal) {
      equations_.push_back(id);
    }
  }

  void take(Step step) {
    wanted_[step.variable] = false;
    updateOpen();
    step.due = takeDue();
    plan_.steps.push_back(std::move(step));
    if (isKnob_[plan_.steps.back().variable]) {
      plan_.knobsEnd = plan_.steps.size();
    }
  }

  /// Updates which terms are open: those with a variable that is not scheduled.
  void updateOpen() {
    const std::vector<Term>& terms = constraints_.terms();
    for (TermId id = 0; id < terms.size(); ++id) {
      open_[id] = terms[id].kind == TermKind::variable
                      ? wanted_[static_cast<std::size_t>(terms[id].value)]
                      : std::any_of(terms[id].operands.begin(), terms[id].operands.end(),
                                    [&](TermId operand) { return open_[operand]; });
    }
  }

  std::vector<Step::Due> takeDue() {
    std::vector<Step::Due> due;
    for (TermId id = 0; id < open_.size(); ++id) {
      if (used_[id] && !open_[id]) {
        used_[id] = false;
        due.push_back({id, asserted_[id]});
      }
    }
    return due;
  }

  [[nodiscard]] std::optional<Step> determined() const {
    for (const TermId equation : equations_) {
      const Term& term = constraints_.terms()[equation];
      for (const std::size_t side : {0, 1}) {
        if (open_[term.operands[side]] && !open_[term.operands[1 - side]]) {
          if (auto step = solveFor(term.operands[side], term.operands[1 - side])) {
            return step;
          }
        }
      }
    }
    return std::nullopt;
  }

  /// Sums, differences and products can be inverted if only one operand is open.
  [[nodiscard]] std::optional<Step> solveFor(TermId side, TermId value) const {
    Solution solution{value, {}};
    while (constraints_.terms()[side].kind != TermKind::variable) {
      const Term& term = constraints_.terms()[side];
      const auto isOpen = [&](TermId operand) { return open_[operand]; };
      if ((term.kind != TermKind::add && term.kind != TermKind::subtract &&
           term.kind != TermKind::multiply) ||
          std::count_if(term.operands.begin(), term.operands.end(), isOpen) != 1) {
        return std::nullopt;
      }
      const auto open = std::find_if(term.operands.begin(), term.operands.end(), isOpen);
      solution.path.push_back({side, static_cast<std::size_t>(open - term.operands.begin())});
      side = *open;
    }
    return Step{
        static_cast<std::size_t>(constraints_.terms()[side].value), std::move(solution), {}};
  }

  /// Prefers variables with few values that decide many assertions. Knobs come first, so that no
  /// point is found twice.
  [[nodiscard]] std::optional<std::size_t> chooseVariable() const {
    std::optional<std::size_t> best;
    double bestScore = 0;
    for (std::size_t variable = 0; variable < wanted_.size(); ++variable) {
      if (!wanted_[variable]) {
        continue;
      }
      const double score = computeScore(variable);
      const bool better =
          !best || (isKnob_[variable] != isKnob_[*best] ? static_cast<bool>(isKnob_[variable])
                                                        : score < bestScore);
      if (better) {
        best = variable;
        bestScore = score;
      }
    }
    return best;
  }

  [[nodiscard]] double computeScore(std::size_t variable) const {
    double weight = 1;
    for (const Constraints::Assertion& assertion : constraints_.assertions()) {
      const std::vector<std::size_t>& about = assertion.variables;
      if (!open_[assertion.term] || !std::binary_search(about.begin(), about.end(), variable)) {
        continue;
      }
      const auto open =
          std::count_if(about.begin(), about.end(), [&](std::size_t one) { return wanted_[one]; });
      weight += open == 1 ? 1 : static_cast<std::size_t>(open) < about.size() ? 0.25 : 0;
    }
    const double size =
        domains_[variable].listed ? static_cast<double>(domains_[variable].values.size()) : 1e12;
    return size <= 1 ? 0 : size / weight;
  }

  const Constraints& constraints_;
  const std::vector<Domain>& domains_;
  std::vector<bool> wanted_;  ///< variables not yet scheduled
  std::vector<bool> isKnob_;
  std::vector<bool> open_;
  std::vector<bool> used_;  ///< terms that some assertion needs and that are not due yet
  std::vector<bool> asserted_;
  std::vector<TermId> equations_;
  ListingPlan plan_;
};

}  // namespace

Result<ListingPlan> planVariables(const Constraints& constraints,
                                  const std::vector<Domain>& domains,
                                  const std::vector<std::size_t>& knobs) {
  return Planner(constraints, domains, knobs).run();
}

}  // namespace hone::search
