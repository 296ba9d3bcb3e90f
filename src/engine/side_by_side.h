#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "engine/rounds.h"
#include "engine/sampler.h"
#include "model/result/sample.h"
#include "store/store.h"

namespace hone::engine {

struct SideBySideOptions {
  std::int64_t fewestRounds = 5;
  std::int64_t mostRounds = 20;
  double precision = 0.02;  ///< rounds end when no interval is further from its median
  /// Whoever is so many times slower than the best is measured no more after the fewest rounds; 0:
  /// everybody stays.
  double tooSlow = 0;
  std::uint64_t seed = 1;
};

/// The times of each participant, one a round, in rounds of fresh processes; what was recorded of
/// them before is not measured again. None for one that failed in a round: the store knows why.
[[nodiscard]] Result<std::vector<std::vector<double>>> sideBySide(
    const Sampler& sampler, store::Store& store, model::Stage stage,
    std::span<const Participant> participants, std::span<const store::TrialSample> recorded,
    const SideBySideOptions& options);

}  // namespace hone::engine
