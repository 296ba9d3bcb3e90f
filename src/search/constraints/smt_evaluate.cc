#include "search/constraints/smt_evaluate.h"

namespace hone::search {
namespace {

/// Divides as defined by SMT-LIB: the remainder is never negative. Returns nothing for a division
/// by zero or an overflow; configurations that lead there are not wanted.
Known divide(std::int64_t value, std::int64_t by) {
  if (by == 0 || (value == INT64_MIN && by == -1)) {
    return std::nullopt;
  }
  const std::int64_t quotient = value / by;
  if (value % by >= 0) {
    return quotient;
  }
  return by > 0 ? quotient - 1 : quotient + 1;
}

Known modulo(std::int64_t value, std::int64_t by) {
  if (by == 0 || by == INT64_MIN || by == -1) {
    return by == -1 ? Known(0) : std::nullopt;
  }
  const std::int64_t rest = value % by;
  return rest < 0 ? rest + (by < 0 ? -by : by) : rest;
}

Known calculate(TermKind kind, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  switch (kind) {
    case TermKind::add:
      return __builtin_add_overflow(left, right, &result) ? Known() : result;
    case TermKind::subtract:
      return __builtin_sub_overflow(left, right, &result) ? Known() : result;
    case TermKind::multiply:
      return __builtin_mul_overflow(left, right, &result) ? Known() : result;
    case TermKind::divide:
      return divide(left, right);
    case TermKind::modulo:
      return modulo(left, right);
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

/// Evaluates a conjunction or disjunction with unknown operands: a single deciding operand
/// suffices.
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

}  // namespace

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
      return operand && *operand < 0 ? calculate(TermKind::subtract, 0, *operand) : operand;
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
    result = operand ? calculate(term.kind, *result, *operand) : operand;
  }
  return result;
}

}  // namespace hone::search
