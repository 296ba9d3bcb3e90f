#pragma once

#include <z3++.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/space/space.h"

namespace hone::search {

/// The same constraints in z3, as an independent reference.
class Z3Constraints {
 public:
  Z3Constraints(const std::string& smtLib, const std::vector<Knob>& knobs) : solver_(context_) {
    solver_.from_string(smtLib.c_str());
    for (const Knob& knob : knobs) {
      knobs_.push_back(context_.int_const(knob.name.c_str()));
    }
  }

  /// Returns true if the constraints are satisfiable with these knob values.
  bool accepts(std::span<const std::int64_t> point) {
    solver_.push();
    solver_.add(equals(point));
    const bool accepted = solver_.check() == z3::sat;
    solver_.pop();
    return accepted;
  }

  /// Excludes the point from the solutions.
  void block(std::span<const std::int64_t> point) { solver_.add(!equals(point)); }

  /// Returns any remaining solution; nothing if the solver finds none.
  std::optional<std::vector<std::int64_t>> any() {
    if (solver_.check() != z3::sat) {
      return std::nullopt;
    }
    const z3::model model = solver_.get_model();
    std::vector<std::int64_t> point;
    for (const z3::expr& knob : knobs_) {
      point.push_back(model.eval(knob, true).get_numeral_int64());
    }
    return point;
  }

  /// Returns true if the solver proves that no solution remains.
  bool isExhausted() { return solver_.check() == z3::unsat; }

 private:
  z3::expr equals(std::span<const std::int64_t> point) {
    z3::expr_vector equations(context_);
    for (std::size_t i = 0; i < knobs_.size(); ++i) {
      equations.push_back(knobs_[i] == context_.int_val(point[i]));
    }
    return z3::mk_and(equations);
  }

  z3::context context_;
  z3::solver solver_;
  std::vector<z3::expr> knobs_;
};

}  // namespace hone::search
