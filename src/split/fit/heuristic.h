#pragma once

#include <cstdint>
#include <optional>

#include "model/problem/reduction.h"
#include "model/result/summary/split_heuristic.h"

namespace hone::split {

using model::Band;
using model::EarlyReturns;
using model::Heuristic;
using model::Ladder;
using model::SourceForm;
using model::Step;

/// The constants that the compiler itself has: today's in `functions`, the first ones in `chain`.
[[nodiscard]] EarlyReturns compilersReturns(SourceForm form, model::ReductionKind kind);
/// The numbers of an operation that the form's early returns compare with their constants.
[[nodiscard]] EarlyReturns measuresOf(SourceForm form, const model::Reduction& reduction);
/// Whether the form's early returns, with these constants, leave the operation alone. Today's form
/// has conditions with numbers in them besides; they stay as they are and count here too.
[[nodiscard]] bool skips(SourceForm form, const EarlyReturns& returns,
                         const model::Reduction& reduction);
[[nodiscard]] std::int64_t limitOf(const Ladder& ladder, const model::Reduction& reduction);
/// The limit that the code gives; nothing: it leaves the operation alone.
[[nodiscard]] std::optional<std::int64_t> limitOf(const Heuristic& heuristic,
                                                  const model::Reduction& reduction);

}  // namespace hone::split
