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

/// The sizes of the parts, one per summed loop, for each operation that can be split, in the
/// program's order; {} leaves an operation to the compiler.
using SplitSizes = std::vector<std::vector<std::int64_t>>;

/// The splits of each function by its name, in the order of its dispatches.
using SplitsByFunction = std::map<std::string, SplitSizes>;

/// An operation that a limit can split.
struct FunctionReduction {
  std::string function;
  model::Reduction reduction;
};

/// Lists the operations of IR after global optimization that the compiler's pass could split by a
/// limit, in the program's order.
[[nodiscard]] std::vector<FunctionReduction> reductionsIn(const CompilerApi& api,
                                                          MlirOperation module);

/// Puts the sizes on the operations of reductionsIn. Says on stderr what does not fit; false then.
[[nodiscard]] bool attachSplits(const CompilerApi& api, MlirContext context, MlirOperation program,
                                const SplitSizes& sizes);

/// Replaces the program's only public function by a copy for each of the choices, named by
/// variantName. False, said on stderr, where there is not one such function or sizes do not fit.
[[nodiscard]] bool expandSplits(const CompilerApi& api, MlirContext context, MlirOperation module,
                                std::span<const SplitSizes> choices);

/// Reads from IR after `flow` how each function is split.
[[nodiscard]] SplitsByFunction splitsIn(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
