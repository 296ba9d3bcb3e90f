#pragma once

#include <cstdint>
#include <memory>

#include "kernel/propose/proposer.h"

namespace hone::kernel {

/// Proposes by named rewrites with typed knobs, the weightiest findings first: at the begin what
/// answers all findings at once and each of them alone, then steps away from the best, one or two
/// knobs at a time. Needs no network, never proposes anything twice, and proposes the same for the
/// same seed and history.
[[nodiscard]] std::unique_ptr<Proposer> makeSearchProposer(std::uint64_t seed, int threads);

}  // namespace hone::kernel
