#pragma once

#include <cstdint>
#include <optional>

#include "model/problem/reduction.h"
#include "model/result/summary/split_heuristic.h"

namespace hone::split {

using model::Band;
using model::EarlyReturns;
using model::Heuristic;
using model::kNoSplit;
using model::Ladder;
using model::MeasuredRange;
using model::SourceForm;
using model::Step;

/// Returns the compiler's own constants: the current ones for `functions`, the original ones for
/// `chain`.
[[nodiscard]] EarlyReturns compilersReturns(SourceForm form, model::ReductionKind kind);
/// Returns the sizes of an operation that the form's early returns compare with their constants.
/// `modestReduction` is 0 unless the output is huge.
[[nodiscard]] EarlyReturns computeMeasures(SourceForm form, const model::Reduction& reduction);
/// Returns true if the form's early returns, with these constants, leave the operation unsplit.
[[nodiscard]] bool skips(SourceForm form, const EarlyReturns& returns,
                         const model::Reduction& reduction);
/// Return the limit of a ladder or of a heuristic; nullopt: not split. The measured range is not
/// considered.
[[nodiscard]] std::optional<std::int64_t> chooseLimit(const Ladder& ladder,
                                                      const model::Reduction& reduction);
[[nodiscard]] std::optional<std::int64_t> chooseLimit(const Heuristic& heuristic,
                                                      const model::Reduction& reduction);

}  // namespace hone::split
