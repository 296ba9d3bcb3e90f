#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "iree/compile/compile_job.h"
#include "iree/module/compiler_api.h"

namespace hone::iree {

// Split reductions in IR, in a compile child.

/// The operations of IR after global optimization that the compiler's pass could split by a limit:
/// [{"function", "op", "reduction": see model::Reduction}], in the program's order.
[[nodiscard]] nlohmann::json reductionsIn(const CompilerApi& api, MlirOperation module);

/// Puts the sizes on the operations of reductionsIn. Says on stderr what does not fit; false then.
[[nodiscard]] bool attachSplits(const CompilerApi& api, MlirContext context, MlirOperation program,
                                const SplitSizes& sizes);

/// Replaces the program's only public function by a copy for each of the choices, named by
/// variantName. False, said on stderr, where there is not one such function or sizes do not fit.
[[nodiscard]] bool expandSplits(const CompilerApi& api, MlirContext context, MlirOperation module,
                                std::span<const SplitSizes> choices);

/// How IR after `flow` is split, by function: {"name": [[parts' sizes], …]}, a list for each split
/// in the order of the dispatches.
[[nodiscard]] nlohmann::json splitsIn(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree
