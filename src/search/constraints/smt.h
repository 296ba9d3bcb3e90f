#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "search/constraints/smt_term.h"

namespace hone::search {

/// An unknown of constraints with the bounds that the constraints themselves put on it.
struct Variable {
  std::string name;
  bool isBool = false;  ///< its values are 0 and 1
  std::optional<std::int64_t> lower;
  std::optional<std::int64_t> upper;

  /// The only value that it can have, where there is but one.
  [[nodiscard]] std::optional<std::int64_t> fixed() const {
    return lower && lower == upper ? lower : std::nullopt;
  }
};

/// Values by the variables' names.
using Assignment = std::map<std::string, std::int64_t>;

enum class Truth : std::uint8_t {
  no,
  yes,
  open,  ///< a value that decides it is missing or not defined (a division by zero)
};

/// Constraints over integers, read once from the part of SMT-LIB that needs no solver to check a
/// point: linear or not, without quantifiers, arrays and bit vectors.
class Constraints {
 public:
  struct Assertion {
    TermId term = 0;
    std::vector<TermId> terms;           ///< all that it stands on and itself, operands first
    std::vector<std::size_t> variables;  ///< those that occur in it
  };

  /// What is not understood is an error that names it and its line.
  [[nodiscard]] static Result<Constraints> parse(std::string_view smtLib);

  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view variable) const;
  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }
  [[nodiscard]] const std::vector<Assertion>& assertions() const { return assertions_; }

  /// Whether all assertions hold; names that are no variables are passed over.
  [[nodiscard]] Truth check(const Assignment& assignment) const;

 private:
  Constraints() = default;

  std::vector<Variable> variables_;
  std::vector<Term> terms_;
  std::vector<Assertion> assertions_;
};

/// An assignment in the making: an enumerator assigns a variable, asks the assertions that are
/// about it, and goes on or takes it back. The constraints must outlive it.
class Evaluation {
 public:
  explicit Evaluation(const Constraints& constraints);

  void assign(std::size_t variable, std::optional<std::int64_t> value) {
    values_[variable] = value;
  }
  [[nodiscard]] std::optional<std::int64_t> value(std::size_t variable) const {
    return values_[variable];
  }
  [[nodiscard]] Truth check(const Constraints::Assertion& assertion);
  /// All assertions: no as soon as one does not hold, open where nothing decides yet.
  [[nodiscard]] Truth check();

 private:
  const Constraints* constraints_;
  std::vector<std::optional<std::int64_t>> values_;
  std::vector<std::optional<std::int64_t>> terms_;  ///< reused from one check to the next
};

}  // namespace hone::search
