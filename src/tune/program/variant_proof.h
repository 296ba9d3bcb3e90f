#pragma once

#include "base/error.h"
#include "base/progress.h"
#include "engine/plan/trial_context.h"
#include "iree/compile/toolchain/target.h"
#include "tune/program/tune_result.h"
#include "tune/program/whole_program.h"
#include "tune/proof/proof.h"

namespace hone::tune {

/// Proves the winners of all variants on the whole program. Adds the proof, the spec and the
/// dispatch times to the result.
[[nodiscard]] Result<void> proveVariants(const engine::TrialContext& context,
                                         const iree::Target& target, const WholeProgram& whole,
                                         const ProofOptions& options, TuneResult& result);

/// Reports that the dispatches of a variant are not tuned, and why.
void reportVariantFailure(Progress& progress, const WholeProgram& whole, const Variant& variant,
                          const Error& error);

}  // namespace hone::tune
