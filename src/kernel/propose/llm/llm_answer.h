#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/propose/proposer.h"
#include "kernel/source/source.h"

namespace hone::kernel {

/// What a model's answer holds.
struct ModelAnswer {
  std::vector<Proposal> proposals;
  std::vector<std::string> refused;  ///< why others are none, a line each
};

/// Reads candidates strictly: under each heading "Candidate N: title" exactly one fenced block in
/// the kernel's language, a whole file that keeps the entry point of `best`. An answer without such
/// headings is one candidate. At most `most` are taken.
[[nodiscard]] ModelAnswer readAnswer(std::string_view text, const Source& best, std::size_t most);

/// Why the code cannot stand in the kernel's place; nothing where it can.
[[nodiscard]] std::optional<std::string> wrongEntryPoint(const Source& kernel,
                                                         std::string_view code);

}  // namespace hone::kernel
