#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/error.h"
#include "split/source/source_rule.h"

namespace hone::split {

// Runs the code of a rule for one operation.

/// Starts a run with the sizes of an operation under their names in the source. The rule must
/// outlive the run.
[[nodiscard]] CodeRun startRun(const SourceRule& rule, const model::Reduction& reduction,
                               bool lowParallelism);

/// Returns a user error for the construct at the token.
[[nodiscard]] std::unexpected<Error> notUnderstood(const Source& source, std::string_view function,
                                                   std::size_t token);

/// Returns true if every return in the statements is `return std::nullopt;`.
[[nodiscard]] bool onlyReturnsNone(std::span<const Statement> statements);

/// Returns true for `if (…) { … return std::nullopt; }`.
[[nodiscard]] bool isEarlyReturn(const Statement& statement);

[[nodiscard]] bool isLoop(const Statement& statement);

/// Returns true if the tokens from `begin` to `end` contain the word.
[[nodiscard]] bool mentions(const Source& source, std::size_t begin, std::size_t end,
                            std::string_view word);

/// Returns true if a size that hone knows is part of the condition.
[[nodiscard]] bool mentionsSize(const CodeRun& run, const Expression& condition);

}  // namespace hone::split
