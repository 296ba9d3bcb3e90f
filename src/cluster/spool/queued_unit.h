#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "store/records.h"

namespace hone::cluster {

/// A piece of work that one worker does from begin to end: whatever is compared with each other is
/// in one unit, so that it is measured on one node.
struct QueuedUnit {
  std::string key;  ///< hex digits; equal for the same work, by which a head started again finds it
  std::string kind;
  nlohmann::json order;
  bool onlyCompile = false;  ///< leaves its artifacts in the shared cache, and is not measured
  int deaths = 0;            ///< workers that died over it
  int failures = 0;          ///< workers whose machine failed at it
  std::vector<std::string> nodes;  ///< on which that was: others are to try it first
};

/// What came of a unit.
struct Answer {
  std::string key;
  /// Of the user's making, or that the unit killed its workers; then there is no result.
  std::optional<Error> error;
  bool killed = false;
  nlohmann::json result;
  store::Node node;    ///< where it was done
  std::string worker;  ///< who did it
};

[[nodiscard]] nlohmann::json toJson(const QueuedUnit& unit);
[[nodiscard]] std::optional<QueuedUnit> unitFrom(const nlohmann::json& json);
[[nodiscard]] nlohmann::json toJson(const Answer& answer);
[[nodiscard]] std::optional<Answer> answerFrom(const nlohmann::json& json);
[[nodiscard]] store::Node nodeFrom(const nlohmann::json& json);

}  // namespace hone::cluster
