#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/nest/affine.h"
#include "kernel/nest/nest.h"

namespace hone::kernel::nest {

/// A loop nest that computes sums into the elements of an array:
///     for parallel… { s = init; for reduced… { s += added; } target = stored(s); }
/// No two iterations of the parallel loops have the same target, so all loops can be interchanged.
struct SumNest {
  std::vector<Stmt> parallel;  ///< without their bodies, outermost first
  std::vector<Stmt> reduced;
  Expr target;
  std::string scalar;                ///< name of the sum in `stored`
  Expr init;                         ///< initial value; unused with accumulatesInTarget
  bool accumulatesInTarget = false;  ///< the sum starts with the old value of the target
  Expr added;
  Expr stored;

  [[nodiscard]] bool storesPlainSum() const { return stored == name(scalar); }
};

/// Matches the nest with the given outermost loop. The sum may be a scalar or the target itself.
[[nodiscard]] std::optional<SumNest> matchSum(const Function& function, const Stmt& outermost);

/// Wraps the body in the loops, the first of which is the outermost.
[[nodiscard]] std::vector<Stmt> wrapInLoops(const std::vector<Stmt>& loops, std::vector<Stmt> body);

/// A sum of products of two elements, with the role of each loop.
struct Contraction {
  SumNest sum;
  Expr left;                  ///< depends on the row
  Expr right;                 ///< depends on the column
  Stmt row;                   ///< loop over the rows of a tile
  Stmt column;                ///< loop along which the target is contiguous
  std::vector<Stmt> others;   ///< further parallel loops
  bool rightInOrder = false;  ///< `right` is contiguous along the columns, too
};

[[nodiscard]] std::optional<Contraction> matchContraction(const Function& function,
                                                          const Stmt& outermost);

}  // namespace hone::kernel::nest
