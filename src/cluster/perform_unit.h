#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/error.h"
#include "base/progress.h"
#include "engine/executor/unit.h"

namespace hone::cluster {

/// Performs a unit in a worker, with a temporary store, so that recording uses the same code as
/// locally. Returns the value and the records for the head.
[[nodiscard]] Result<nlohmann::json> performUnit(engine::Unit& unit, Progress& progress);

}  // namespace hone::cluster
