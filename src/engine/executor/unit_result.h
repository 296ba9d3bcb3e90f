#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/error.h"
#include "store/records.h"

namespace hone::engine {

/// The result of a unit.
struct UnitResult {
  nlohmann::json value;        ///< what Unit::perform returned; null if there is an error
  std::optional<Error> error;  ///< a fault of the unit itself
  bool killed = false;         ///< the error is that the unit ended every process that tried it
  bool remote = false;         ///< another process performed it, and the store has no trial of it
  /// The trials of a remote unit, with the node that measured them.
  std::vector<store::TrialRecord> records{};  // NOLINT(readability-redundant-member-init)
};

}  // namespace hone::engine
