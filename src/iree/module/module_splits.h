#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "iree/module/compiler_api.h"
#include "model/problem/reduction.h"

namespace hone::iree {

// Split reductions in IR, in a compile child.

/// Split sizes per operation that can be split, in program order: one size per reduction loop. {}
/// leaves an operation to the compiler.
using SplitSizes = std::vector<std::vector<std::int64_t>>;

/// The splits by function name, in the order of the function's dispatches.
using SplitsByFunction = std::map<std::string, SplitSizes>;

/// An operation that the compiler can split by a limit.
struct FunctionReduction {
  std::string function;
  model::Reduction reduction;
};

/// Lists the operations of IR after global optimization that the compiler's pass could split by a
/// limit, in program order.
[[nodiscard]] std::vector<FunctionReduction> reductionsIn(const CompilerApi& api,
                                                          MlirOperation module);

/// Attaches the sizes to the operations of reductionsIn(). Returns false and prints the error to
/// stderr if they do not match.
[[nodiscard]] bool attachSplits(const CompilerApi& api, MlirContext context, MlirOperation program,
                                const SplitSizes& sizes);

/// Replaces the program's only public function by one copy per choice, named by variantName().
/// Returns false and prints the error to stderr if there is not exactly one function or the sizes
/// do not match.
[[nodiscard]] bool expandSplits(const CompilerApi& api, MlirContext context, MlirOperation module,
                                std::span<const SplitSizes> choices);

/// Reads the splits of each function from IR after `flow`.
[[nodiscard]] SplitsByFunction splitsIn(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
