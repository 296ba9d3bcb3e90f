#include "search/smt.h"

#include <algorithm>

#include "search/smt_bounds.h"
#include "search/smt_parser.h"

namespace hone::search {
namespace {

using Known = std::optional<std::int64_t>;

/// Division as SMT-LIB has it: the remainder is never negative. Nothing for a division by zero or
/// an overflow: no configuration that leads there is wanted.
Known divided(std::int64_t value, std::int64_t by) {
  if (by == 0 || (value == INT64_MIN && by == -1)) {
    return std::nullopt;
  }
  const std::int64_t quotient = value / by;
  if (value % by >= 0) {
    return quotient;
  }
  return by > 0 ? quotient - 1 : quotient + 1;
}

Known remainder(std::int64_t value, std::int64_t by) {
  if (by == 0 || by == INT64_MIN || by == -1) {
    return by == -1 ? Known(0) : std::nullopt;
  }
  const std::int64_t rest = value % by;
  return rest < 0 ? rest + (by < 0 ? -by : by) : rest;
}

Known calculated(TermKind kind, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  switch (kind) {
    case TermKind::add:
      return __builtin_add_overflow(left, right, &result) ? Known() : result;
    case TermKind::subtract:
      return __builtin_sub_overflow(left, right, &result) ? Known() : result;
    case TermKind::multiply:
      return __builtin_mul_overflow(left, right, &result) ? Known() : result;
    case TermKind::divide:
      return divided(left, right);
    case TermKind::modulo:
      return remainder(left, right);
    case TermKind::less:
      return left < right ? 1 : 0;
    case TermKind::lessEqual:
      return left <= right ? 1 : 0;
    case TermKind::equal:
      return left == right ? 1 : 0;
    default:
      return std::nullopt;
  }
}

/// Conjunction and disjunction with unknown operands: one that decides is enough.
Known junction(const Term& term, std::span<const Known> terms, std::int64_t decides) {
  bool open = false;
  for (const TermId operand : term.operands) {
    if (terms[operand] == decides) {
      return decides;
    }
    open = open || !terms[operand];
  }
  return open ? Known() : 1 - decides;
}

Known evaluate(const Term& term, std::span<const Known> variables, std::span<const Known> terms) {
  switch (term.kind) {
    case TermKind::constant:
      return term.value;
    case TermKind::variable:
      return variables[static_cast<std::size_t>(term.value)];
    case TermKind::logicalAnd:
      return junction(term, terms, 0);
    case TermKind::logicalOr:
      return junction(term, terms, 1);
    case TermKind::logicalNot: {
      const Known operand = terms[term.operands[0]];
      return operand ? Known(1 - *operand) : operand;
    }
    case TermKind::absolute: {
      const Known operand = terms[term.operands[0]];
      return operand && *operand < 0 ? calculated(TermKind::subtract, 0, *operand) : operand;
    }
    case TermKind::choose: {
      const Known condition = terms[term.operands[0]];
      return condition ? terms[term.operands[*condition != 0 ? 1 : 2]] : condition;
    }
    default:
      break;
  }
  Known result = terms[term.operands[0]];
  for (std::size_t i = 1; i < term.operands.size() && result; ++i) {
    const Known operand = terms[term.operands[i]];
    result = operand ? calculated(term.kind, *result, *operand) : operand;
  }
  return result;
}

Constraints::Assertion assertionOf(TermId asserted, const std::vector<Term>& terms) {
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
    constraints.assertions_.push_back(assertionOf(term, constraints.terms_));
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
