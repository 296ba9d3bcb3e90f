#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "store/store.h"

namespace hone::test {

/// A run of `hone tune` as the verb records it, filled by code: one dispatch, so many candidates
/// with six knobs, no two alike (10,080 at most), some of them failed, a winner, and the proof.
[[nodiscard]] Result<std::int64_t> addTuneRun(store::Store& store, std::size_t candidates,
                                              const std::string& program);

/// A run of `hone split`: so many matmuls under seven limits, with a 2-D ladder that was taken.
[[nodiscard]] Result<std::int64_t> addSplitRun(store::Store& store, std::size_t shapes);

}  // namespace hone::test
