#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/propose/proposer.h"
#include "kernel/source/source.h"

namespace hone::kernel {

/// The parsed answer of a model.
struct ModelAnswer {
  std::vector<Proposal> proposals;
  std::vector<std::string> rejected;  ///< why candidates were rejected, one line each
};

/// Parses the candidates of an answer. Each heading "Candidate N: title" must have exactly one
/// fenced block in the kernel's language: a whole file that keeps the entry point of `best`. An
/// answer without such headings is one candidate. Returns at most `maxCount` candidates.
[[nodiscard]] ModelAnswer readAnswer(std::string_view text, const Source& best,
                                     std::size_t maxCount);

/// Returns why the entry point of the code is not that of the kernel; nothing if it is.
[[nodiscard]] std::optional<std::string> entryPointError(const Source& kernel,
                                                         std::string_view code);

}  // namespace hone::kernel
