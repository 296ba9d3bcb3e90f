#pragma once

#include <span>

#include "base/error.h"
#include "split/fit/heuristic.h"
#include "split/source/source.h"

namespace hone::split {

/// The ladder that code of the form means, exactly as `ladderCode` writes it but for line ends,
/// blanks and comments: from `int64_t limitParallelLoops;` on, or the body of a function. Lines
/// `(void)name;` before it are left out. Other code is a user error with its line.
[[nodiscard]] Result<Ladder> ladderFrom(const Source& source, std::span<const Token> code,
                                        SourceForm form, model::ReductionKind kind);

}  // namespace hone::split
