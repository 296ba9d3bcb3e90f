#pragma once

#include <cstdint>
#include <memory>

#include "kernel/propose/proposer.h"

namespace hone::kernel {

/// Creates a proposer that searches named rewrites with typed knobs, guided by the findings. The
/// first turn tries combinations of techniques and each technique alone; later turns vary the best
/// plan. It needs no network, proposes nothing twice, and is deterministic for a given seed and
/// history.
[[nodiscard]] std::unique_ptr<Proposer> makeSearchProposer(std::uint64_t seed, int threads);

}  // namespace hone::kernel
