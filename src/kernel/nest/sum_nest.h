#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/nest/affine.h"
#include "kernel/nest/nest.h"

namespace hone::kernel::nest {

/// Sums into the elements of an array:
///     for parallel… { s = init; for reduced… { s += added; } target = stored(s); }
/// No two rounds of the parallel loops have the same target, so that all loops may change places.
struct SumNest {
  std::vector<Stmt> parallel;  ///< without their bodies, the outermost first
  std::vector<Stmt> reduced;
  Expr target;
  std::string scalar;  ///< by which `stored` names the sum
  Expr init;           ///< of the sum; not used where it goes on from the target
  bool accumulatesInTarget = false;
  Expr added;
  Expr stored;

  [[nodiscard]] bool storesPlainSum() const { return stored == name(scalar); }
  [[nodiscard]] const Stmt* parallelLoop(std::string_view variable) const;
};

/// The nest of which the loop is the outermost; also with the sum kept in the target itself.
[[nodiscard]] std::optional<SumNest> matchSum(const Function& function, const Stmt& outermost);

/// The body put into the loops, the first the outermost.
[[nodiscard]] std::vector<Stmt> wrapInLoops(const std::vector<Stmt>& loops, std::vector<Stmt> body);

/// A sum of products of two elements, and which loop plays which part.
struct Contraction {
  SumNest sum;
  Expr left;                 ///< changes with the rows
  Expr right;                ///< changes with the columns
  Stmt row;                  ///< the loop over rows of the tile
  Stmt column;               ///< the loop along which the target's elements are neighbours
  std::vector<Stmt> others;  ///< further parallel loops
  bool rightInOrder =
      false;  ///< the right-hand side's elements are neighbours along the columns too
};

[[nodiscard]] std::optional<Contraction> matchContraction(const Function& function,
                                                          const Stmt& outermost);

}  // namespace hone::kernel::nest
