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

/// An integer expression as a sum of products of names: indices and bounds of loops are compared,
/// and taken apart, in this form.
class Polynomial {
 public:
  Polynomial() = default;
  static Polynomial constant(std::int64_t value);
  static Polynomial variable(std::string name);

  [[nodiscard]] Polynomial plus(const Polynomial& other, std::int64_t factor = 1) const;
  [[nodiscard]] Polynomial times(const Polynomial& other) const;

  [[nodiscard]] bool isZero() const { return terms_.empty(); }
  /// The value of one that has no names.
  [[nodiscard]] std::optional<std::int64_t> constantValue() const;
  [[nodiscard]] bool contains(std::string_view name) const;
  [[nodiscard]] bool hasNegative() const;
  /// Whether it is 1 or more when every name is: sizes are.
  [[nodiscard]] bool isPositive() const;
  /// What the name is multiplied by; nothing when it occurs in a square or higher.
  [[nodiscard]] std::optional<Polynomial> coefficientOf(std::string_view name) const;
  /// All terms without the name.
  [[nodiscard]] Polynomial without(std::string_view name) const;
  [[nodiscard]] Polynomial substituted(std::string_view name, const Polynomial& value) const;
  /// For names that all have a value.
  [[nodiscard]] std::optional<double> evaluate(
      const std::vector<std::pair<std::string, std::int64_t>>& sizes) const;
  [[nodiscard]] Expr expression() const;

  bool operator==(const Polynomial&) const = default;

 private:
  void add(const std::vector<std::string>& names, std::int64_t factor);
  /// Sorted names to their factor, never 0.
  std::map<std::vector<std::string>, std::int64_t> terms_;
};

/// Nothing for what is no sum of products of names and integers.
[[nodiscard]] std::optional<Polynomial> toPolynomial(const Expr& expression);

/// From where to where the loop's variable goes, at most.
[[nodiscard]] std::optional<std::pair<Polynomial, Polynomial>> loopRange(const Stmt& loop);

/// Whether two values of the variable never touch the same element, whatever the loops further in
/// do: its stride is longer than the stretch that these cover. `inner` are the loops whose
/// variables may differ; all must begin at 0 or later and have steps of 1 or more.
[[nodiscard]] bool neverOverlaps(const Polynomial& at, std::string_view variable,
                         const std::vector<const Stmt*>& inner);

/// Whether no two rounds of the loops have the same index: with the shortest stride first, each
/// loop steps over all that those before it cover. Loops that are not in the index must not be
/// given.
[[nodiscard]] bool isInjective(const Polynomial& at, const std::vector<const Stmt*>& loops);

}  // namespace hone::kernel::nest
