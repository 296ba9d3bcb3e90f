#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/nest/nest.h"

namespace hone::kernel::nest {

/// An integer expression as a sum of products of names. Used to compare and decompose indices and
/// loop bounds.
class Polynomial {
 public:
  Polynomial() = default;
  static Polynomial constant(std::int64_t value);
  static Polynomial variable(std::string name);

  [[nodiscard]] Polynomial plus(const Polynomial& other, std::int64_t factor = 1) const;
  [[nodiscard]] Polynomial times(const Polynomial& other) const;

  [[nodiscard]] bool isZero() const { return terms_.empty(); }
  /// Returns the value of a polynomial without names.
  [[nodiscard]] std::optional<std::int64_t> constantValue() const;
  [[nodiscard]] bool contains(std::string_view name) const;
  [[nodiscard]] bool hasNegative() const;
  /// Returns true if the value is at least 1 whenever all names are, as is the case for sizes.
  [[nodiscard]] bool isPositive() const;
  /// Returns the factor of the name; nothing if the name occurs squared or higher.
  [[nodiscard]] std::optional<Polynomial> coefficientOf(std::string_view name) const;
  /// Returns the terms that do not contain the name.
  [[nodiscard]] Polynomial without(std::string_view name) const;
  [[nodiscard]] Polynomial substituted(std::string_view name, const Polynomial& value) const;
  /// Evaluates the polynomial; returns nothing if a name has no value.
  [[nodiscard]] std::optional<double> evaluate(
      const std::vector<std::pair<std::string, std::int64_t>>& sizes) const;
  [[nodiscard]] Expr expression() const;

  bool operator==(const Polynomial&) const = default;

 private:
  void add(const std::vector<std::string>& names, std::int64_t factor);
  /// Maps sorted names to their coefficient, which is never 0.
  std::map<std::vector<std::string>, std::int64_t> terms_;
};

/// Converts an expression; returns nothing if it is not a sum of products of names and integers.
[[nodiscard]] std::optional<Polynomial> toPolynomial(const Expr& expression);

/// Returns true if two values of the variable never access the same element: its stride exceeds the
/// extent that the inner loops cover. `inner` are the loops whose variables may differ. They must
/// start at 0 or later and have steps of at least 1.
[[nodiscard]] bool neverOverlaps(const Polynomial& at, std::string_view variable,
                                 const std::vector<const Stmt*>& inner);

/// Returns true if no two iterations of the loops have the same index: ordered by stride, each loop
/// steps over the extent of the loops before it. All loops must occur in the index.
[[nodiscard]] bool isInjective(const Polynomial& at, const std::vector<const Stmt*>& loops);

}  // namespace hone::kernel::nest
