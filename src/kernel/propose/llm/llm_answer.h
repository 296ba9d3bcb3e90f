#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/propose/proposer.h"
#include "kernel/source/source.h"

namespace hone::kernel {

/// The parsed answer of a model.
struct ModelAnswer {
  std::vector<Proposal> proposals;
  std::vector<std::string> rejected;  ///< reasons for rejected candidates, one line each
};

/// Parses the candidates of an answer, without its reasoning. Each heading "Candidate N: title"
/// starts a candidate; an answer without such headings is one. The last complete file of a
/// candidate counts: a fenced block in the kernel's language that keeps the entry point of `best`,
/// or a unified diff. A diff applies to the file before it, to one of `diffBases`, or to `best`.
/// Returns at most `maxCount` candidates.
[[nodiscard]] ModelAnswer readAnswer(std::string_view text, const Source& best,
                                     std::size_t maxCount,
                                     std::span<const std::string> diffBases = {});

/// Returns an answer without the reasoning of the model, such as "<think>…</think>".
[[nodiscard]] std::string withoutReasoning(std::string_view text);

/// Returns why the entry point of the code is not that of the kernel; nothing if it is.
[[nodiscard]] std::optional<std::string> entryPointError(const Source& kernel,
                                                         std::string_view code);

}  // namespace hone::kernel
