#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "store/store.h"

namespace hone::test {

/// Adds a synthetic run of `hone tune`: one dispatch, `candidates` distinct points of six knobs (at
/// most 10,080) and a constant one, some of them failed, a winner, and the final comparison.
[[nodiscard]] Result<std::int64_t> addTuneRun(store::Store& store, std::size_t candidates,
                                              const std::string& program);

/// Adds a synthetic run of `hone split`: `shapes` matmuls, seven limits, a recommended 2-D ladder.
[[nodiscard]] Result<std::int64_t> addSplitRun(store::Store& store, std::size_t shapes);

}  // namespace hone::test
