#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/error.h"
#include "store/records.h"

namespace hone::engine {

/// Result of a unit.
struct UnitResult {
  nlohmann::json value;        ///< result of Unit::perform; null if there is an error
  std::optional<Error> error;  ///< user error of the unit
  bool killed = false;         ///< the error: the unit ended every process that performed it
  bool remote = false;         ///< performed by another process; its trials are not in the store
  /// Trials of a remote unit, with the node that measured them.
  std::vector<store::TrialRecord> records{};
};

}  // namespace hone::engine
