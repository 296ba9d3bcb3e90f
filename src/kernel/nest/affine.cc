#include "kernel/nest/affine.h"

#include <algorithm>
#include <set>

#include "base/text/text.h"

namespace hone::kernel::nest {
namespace {

/// Larger constants are not sizes. Products of a few of these fit into 64 bits.
constexpr std::int64_t kMaxConstant = 1 << 20;

/// Returns bounds of the loop variable: the range [first, second). For a loop over a block, the
/// range of all blocks.
std::optional<std::pair<Polynomial, Polynomial>> loopRange(const Stmt& loop) {
  // A loop over a block: all blocks together cover the range from 0 to the end.
  if (loop.to.kind == Expr::Kind::call && loop.to.text.starts_with("std::min<") &&
      loop.to.args.size() == 2) {
    const auto to = toPolynomial(loop.to.args[1]);
    return to ? std::optional(std::pair(Polynomial(), *to)) : std::nullopt;
  }
  const auto from = toPolynomial(loop.from);
  const auto to = toPolynomial(loop.to);
  return from && to ? std::optional(std::pair(*from, *to)) : std::nullopt;
}

}  // namespace

Polynomial Polynomial::constant(std::int64_t value) {
  Polynomial result;
  result.add({}, value);
  return result;
}

Polynomial Polynomial::variable(std::string name) {
  Polynomial result;
  result.add({std::move(name)}, 1);
  return result;
}

void Polynomial::add(const std::vector<std::string>& names, std::int64_t factor) {
  const auto [at, isNew] = terms_.try_emplace(names, 0);
  at->second += factor;
  if (at->second == 0) {
    terms_.erase(at);
  }
}

Polynomial Polynomial::plus(const Polynomial& other, std::int64_t factor) const {
  Polynomial result = *this;
  for (const auto& [names, value] : other.terms_) {
    result.add(names, value * factor);
  }
  return result;
}

Polynomial Polynomial::times(const Polynomial& other) const {
  Polynomial result;
  for (const auto& [names, value] : terms_) {
    for (const auto& [otherNames, otherValue] : other.terms_) {
      std::vector<std::string> all = names;
      all.insert(all.end(), otherNames.begin(), otherNames.end());
      std::ranges::sort(all);
      result.add(all, value * otherValue);
    }
  }
  return result;
}

std::optional<std::int64_t> Polynomial::constantValue() const {
  if (terms_.empty()) {
    return 0;
  }
  if (terms_.size() == 1 && terms_.begin()->first.empty()) {
    return terms_.begin()->second;
  }
  return std::nullopt;
}

bool Polynomial::contains(std::string_view name) const {
  return std::ranges::any_of(terms_, [&](const auto& term) {
    return std::ranges::find(term.first, name) != term.first.end();
  });
}

bool Polynomial::hasNegative() const {
  return std::ranges::any_of(terms_, [](const auto& term) { return term.second < 0; });
}

std::optional<Polynomial> Polynomial::coefficientOf(std::string_view name) const {
  Polynomial result;
  for (const auto& [names, value] : terms_) {
    const auto count = std::ranges::count(names, name);
    if (count > 1) {
      return std::nullopt;
    }
    if (count == 1) {
      std::vector<std::string> rest = names;
      rest.erase(std::ranges::find(rest, name));
      result.add(rest, value);
    }
  }
  return result;
}

Polynomial Polynomial::without(std::string_view name) const {
  Polynomial result;
  for (const auto& [names, value] : terms_) {
    if (std::ranges::find(names, name) == names.end()) {
      result.add(names, value);
    }
  }
  return result;
}

Polynomial Polynomial::substituted(std::string_view name, const Polynomial& value) const {
  Polynomial result;
  for (const auto& [names, factor] : terms_) {
    Polynomial product = constant(factor);
    for (const std::string& one : names) {
      product = product.times(one == name ? value : variable(one));
    }
    result = result.plus(product);
  }
  return result;
}

std::optional<double> Polynomial::evaluate(
    const std::vector<std::pair<std::string, std::int64_t>>& sizes) const {
  double sum = 0;
  for (const auto& [names, factor] : terms_) {
    auto product = static_cast<double>(factor);
    for (const std::string& one : names) {
      const auto found = std::ranges::find(sizes, one, [](const auto& size) { return size.first; });
      if (found == sizes.end()) {
        return std::nullopt;
      }
      product *= static_cast<double>(found->second);
    }
    sum += product;
  }
  return sum;
}

Expr Polynomial::expression() const {
  std::optional<Expr> sum;
  const auto append = [&](Expr term, bool negative) {
    if (!sum) {
      sum = negative ? Expr{Expr::Kind::unary, "-", {std::move(term)}} : std::move(term);
    } else {
      sum = binary(negative ? "-" : "+", std::move(*sum), std::move(term));
    }
  };
  // Print longer products first and the constant last, as is usual.
  std::vector<std::pair<std::vector<std::string>, std::int64_t>> terms(terms_.begin(),
                                                                       terms_.end());
  std::ranges::stable_sort(
      terms, [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  for (const auto& [names, factor] : terms) {
    const std::int64_t size = factor < 0 ? -factor : factor;
    std::optional<Expr> product;
    if (size != 1 || names.empty()) {
      product = number(size);
    }
    for (const std::string& one : names) {
      product = product ? binary("*", std::move(*product), name(one)) : name(one);
    }
    append(std::move(*product), factor < 0);
  }
  return sum ? std::move(*sum) : number(0);
}

std::optional<Polynomial> toPolynomial(const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::number:
      if (const auto value = parseInt(e.text); value && *value <= kMaxConstant) {
        return Polynomial::constant(*value);
      }
      return std::nullopt;
    case Expr::Kind::name:
      return Polynomial::variable(e.text);
    case Expr::Kind::cast:
      return e.text == "float" || e.text == "double" ? std::nullopt : toPolynomial(e.args[0]);
    case Expr::Kind::unary: {
      const auto inner = toPolynomial(e.args[0]);
      if (e.text != "-" || !inner) {
        return std::nullopt;
      }
      return Polynomial().plus(*inner, -1);
    }
    case Expr::Kind::binary: {
      if (e.text != "+" && e.text != "-" && e.text != "*") {
        return std::nullopt;
      }
      const auto left = toPolynomial(e.args[0]);
      const auto right = toPolynomial(e.args[1]);
      if (!left || !right) {
        return std::nullopt;
      }
      return e.text == "*" ? left->times(*right) : left->plus(*right, e.text == "-" ? -1 : 1);
    }
    default:
      return std::nullopt;
  }
}

bool Polynomial::isPositive() const {
  Polynomial shifted = *this;
  std::set<std::string> names;
  for (const auto& term : terms_) {
    names.insert(term.first.begin(), term.first.end());
  }
  for (const std::string& one : names) {
    shifted = shifted.substituted(one, variable(one).plus(constant(1)));
  }
  const auto found = shifted.terms_.find({});
  return found != shifted.terms_.end() && found->second >= 1 && !shifted.hasNegative();
}

bool neverOverlaps(const Polynomial& at, std::string_view variable,
                   const std::vector<const Stmt*>& inner) {
  const auto stride = at.coefficientOf(variable);
  if (!stride || stride->isZero() || stride->hasNegative()) {
    return false;
  }
  Polynomial rest = *stride;
  for (const Stmt* loop : inner) {
    const auto factor = at.coefficientOf(loop->name);
    if (loop->name == variable || (factor && factor->isZero())) {
      continue;
    }
    const auto range = loopRange(*loop);
    if (!factor || factor->contains(variable) || factor->hasNegative() || !range) {
      return false;
    }
    const Polynomial last = range->second.plus(range->first, -1).plus(Polynomial::constant(1), -1);
    rest = rest.plus(factor->times(last), -1);
  }
  return rest.isPositive();
}

namespace {

/// Returns true if the remaining loops can enclose `inner` in some order without overlap.
bool canEnclose(const Polynomial& at, std::vector<const Stmt*>& inner,
                const std::vector<const Stmt*>& remaining) {
  if (remaining.empty()) {
    return true;
  }
  return std::ranges::any_of(remaining, [&](const Stmt* loop) {
    if (!neverOverlaps(at, loop->name, inner)) {
      return false;
    }
    std::vector<const Stmt*> rest = remaining;
    std::erase(rest, loop);
    inner.push_back(loop);
    const bool found = canEnclose(at, inner, rest);
    inner.pop_back();
    return found;
  });
}

/// Limits the number of loop orders to try.
constexpr std::size_t kMaxLoops = 7;

}  // namespace

bool isInjective(const Polynomial& at, const std::vector<const Stmt*>& loops) {
  std::vector<const Stmt*> inner;
  return loops.size() <= kMaxLoops && canEnclose(at, inner, loops);
}

}  // namespace hone::kernel::nest
