#include "search/constraints/smt.h"

#include <algorithm>

#include "search/constraints/smt_bounds.h"
#include "search/constraints/smt_evaluate.h"
#include "search/constraints/smt_parser.h"

namespace hone::search {
namespace {

Constraints::Assertion collectAssertion(TermId asserted, const std::vector<Term>& terms) {
  Constraints::Assertion assertion;
  assertion.term = asserted;
  std::vector<bool> needed(asserted + std::size_t{1});
  needed[asserted] = true;
  for (TermId term = asserted + 1; term-- > 0;) {
    if (!needed[term]) {
      continue;
    }
    assertion.terms.push_back(term);
    for (const TermId operand : terms[term].operands) {
      needed[operand] = true;
    }
    if (terms[term].kind == TermKind::variable) {
      assertion.variables.push_back(static_cast<std::size_t>(terms[term].value));
    }
  }
  std::reverse(assertion.terms.begin(), assertion.terms.end());
  std::sort(assertion.variables.begin(), assertion.variables.end());
  return assertion;
}

}  // namespace

Result<Constraints> Constraints::parse(std::string_view smtLib) {
  ParsedConstraints parsed = HONE_TRY(parseSmtLib(smtLib));
  deriveBounds(parsed.variables, parsed.terms, parsed.assertions);
  Constraints constraints;
  constraints.variables_ = std::move(parsed.variables);
  constraints.terms_ = std::move(parsed.terms);
  for (const TermId term : parsed.assertions) {
    constraints.assertions_.push_back(collectAssertion(term, constraints.terms_));
  }
  return constraints;
}

std::optional<std::size_t> Constraints::find(std::string_view variable) const {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (variables_[i].name == variable) {
      return i;
    }
  }
  return std::nullopt;
}

Truth Constraints::check(const Assignment& assignment) const {
  Evaluation evaluation(*this);
  for (const auto& [name, value] : assignment) {
    if (const auto variable = find(name)) {
      evaluation.assign(*variable, value);
    }
  }
  return evaluation.check();
}

Evaluation::Evaluation(const Constraints& constraints)
    : constraints_(&constraints),
      values_(constraints.variables().size()),
      terms_(constraints.terms().size()) {}

Truth Evaluation::check(const Constraints::Assertion& assertion) {
  for (const TermId term : assertion.terms) {
    terms_[term] = evaluate(constraints_->terms()[term], values_, terms_);
  }
  const Known holds = terms_[assertion.term];
  return !holds ? Truth::open : *holds != 0 ? Truth::yes : Truth::no;
}

Truth Evaluation::check() {
  Truth all = Truth::yes;
  for (const Constraints::Assertion& assertion : constraints_->assertions()) {
    const Truth one = check(assertion);
    if (one == Truth::no) {
      return one;
    }
    all = one == Truth::open ? one : all;
  }
  return all;
}

}  // namespace hone::search
