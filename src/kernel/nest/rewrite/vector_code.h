#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "kernel/nest/affine.h"
#include "kernel/nest/nest.h"
#include "kernel/nest/normal_form.h"

namespace hone::kernel::nest {

/// Adds the standard headers that rewritten code may need.
void ensureHeaders(Function& function);

/// Adds the vector type, its loads and stores, to the helpers of the function, once.
void ensureVectors(Function& function, std::int64_t width);

/// Adds what brings the lanes of an accumulator together: their maximum, minimum, or (none) sum.
void ensureReduction(Function& function, Math kind);

/// Writes expressions for a whole vector of neighbours along a loop.
class VectorCode {
 public:
  /// `vectors` are scalars that hold a vector now.
  VectorCode(Function& function, std::string variable, std::set<std::string> vectors)
      : function_(function), variable_(std::move(variable)), vectors_(std::move(vectors)) {}

  /// The vector's value, as a call of `all` where it is the same in every lane; nothing for what
  /// cannot be done in vectors. Helpers that it needs are added to the function.
  [[nodiscard]] std::optional<Expr> vector(const Expr& expression);

  /// Elements along the loop: 0 for one that stays, 1 for neighbours, nothing for others.
  [[nodiscard]] std::optional<int> strideOf(const Expr& element) const;

 private:
  struct Value {
    Expr expression;
    bool vector = false;
  };
  [[nodiscard]] std::optional<Value> value(const Expr& expression);
  [[nodiscard]] std::optional<Value> operation(const Expr& expression);
  [[nodiscard]] std::optional<Value> function(const Expr& expression);
  [[nodiscard]] std::optional<Value> scalar(const Expr& expression) const;

  Function& function_;
  std::string variable_;
  std::set<std::string> vectors_;
};

/// The same expression for one element, with hone's own exponential and tanh so that all elements
/// are computed alike.
[[nodiscard]] Expr scalarCode(Function& function, Expr expression);

}  // namespace hone::kernel::nest
