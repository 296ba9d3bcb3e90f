#pragma once

#include <span>

#include "base/error.h"
#include "split/fit/heuristic.h"
#include "split/source/source.h"

namespace hone::split {

/// Parses the ladder from code as written by `ladderCode`, ignoring line ends, blanks and comments.
/// The code starts at `int64_t limitParallelLoops;` or is the body of a function. Leading lines
/// `(void)name;` are skipped. Other code is a user error with its line.
[[nodiscard]] Result<Ladder> ladderFrom(const Source& source, std::span<const Token> code,
                                        SourceForm form, model::ReductionKind kind);

}  // namespace hone::split
