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

/// A variable with the bounds derived from the constraints.
struct Variable {
  std::string name;
  bool isBool = false;  ///< its values are 0 and 1
  std::optional<std::int64_t> lower;
  std::optional<std::int64_t> upper;

  /// Returns the value if the bounds allow only one.
  [[nodiscard]] std::optional<std::int64_t> fixed() const {
    return lower && lower == upper ? lower : std::nullopt;
  }
};

/// Values by variable name.
using Assignment = std::map<std::string, std::int64_t>;

enum class Truth : std::uint8_t {
  no,
  yes,
  open,  ///< undetermined: a value is missing or undefined (division by zero)
};

/// Integer constraints parsed from SMT-LIB. Supports the subset that can be checked without a
/// solver: linear or not, without quantifiers, arrays and bit vectors.
class Constraints {
 public:
  struct Assertion {
    TermId term = 0;
    std::vector<TermId> terms;           ///< all terms it depends on and itself, operands first
    std::vector<std::size_t> variables;  ///< variables that occur in it
  };

  /// Parses constraints; fails with the line of the first unsupported construct.
  [[nodiscard]] static Result<Constraints> parse(std::string_view smtLib);

  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view variable) const;
  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }
  [[nodiscard]] const std::vector<Assertion>& assertions() const { return assertions_; }

  /// Checks all assertions. Ignores names that are not variables.
  [[nodiscard]] Truth check(const Assignment& assignment) const;

 private:
  Constraints() = default;

  std::vector<Variable> variables_;
  std::vector<Term> terms_;
  std::vector<Assertion> assertions_;
};

/// A partial assignment. An enumerator assigns a variable, checks the assertions that use it, and
/// continues or backtracks. The constraints must outlive it.
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
  /// Checks all assertions: `no` if one is false, `open` if none is false but one is undetermined.
  [[nodiscard]] Truth check();

 private:
  const Constraints* constraints_;
  std::vector<std::optional<std::int64_t>> values_;
  std::vector<std::optional<std::int64_t>> terms_;  ///< scratch space, reused by every check
};

}  // namespace hone::search
