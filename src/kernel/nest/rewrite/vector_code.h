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

/// Adds the vector type with its loads and stores to the helpers, unless it is there.
void ensureVectors(Function& function, std::int64_t width);

/// Adds a helper that reduces the lanes of a vector: max, min, or sum for Math::none.
void ensureReduction(Function& function, Math kind);

/// Converts expressions to vector code along a loop.
class VectorCode {
 public:
  /// `vectors` are scalars that hold a vector in the vectorized loop.
  VectorCode(Function& function, std::string variable, std::set<std::string> vectors)
      : function_(function), variable_(std::move(variable)), vectors_(std::move(vectors)) {}

  /// Returns the vector expression, a call of `all` if all lanes are equal. Returns nothing if the
  /// expression cannot be vectorized. Adds the helpers it needs to the function.
  [[nodiscard]] std::optional<Expr> vector(const Expr& expression);

  /// Returns the stride of an element along the loop if it is 0 or 1; otherwise nothing.
  [[nodiscard]] std::optional<int> computeStride(const Expr& element) const;

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

/// Returns the expression for one element. Uses the same exponential and tanh as the vector code,
/// so that all elements are computed in the same way.
[[nodiscard]] Expr scalarCode(Function& function, Expr expression);

}  // namespace hone::kernel::nest
