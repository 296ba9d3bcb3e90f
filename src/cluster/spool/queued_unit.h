#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "store/records.h"

namespace hone::cluster {

/// A piece of work executed by one worker. Everything that is compared is in one unit, so that it
/// is measured on one node.
struct QueuedUnit {
  std::string key;  ///< hex digits; equal for equal work, so that a restarted head finds it
  std::string kind;
  nlohmann::json order;
  bool onlyCompile = false;        ///< only fills the shared compile cache; not measured
  int deaths = 0;                  ///< workers that died executing it
  int failures = 0;                ///< workers whose machine failed executing it
  std::vector<std::string> nodes;  ///< nodes on which it failed: others should try it first
};

/// Result of a unit.
struct Answer {
  std::string key;
  /// User error, or the unit killed its workers; there is no result then.
  std::optional<Error> error;
  bool killed = false;
  nlohmann::json result;
  store::Node node;    ///< executed it
  std::string worker;  ///< executed it
};

[[nodiscard]] nlohmann::json toJson(const QueuedUnit& unit);
[[nodiscard]] std::optional<QueuedUnit> unitFrom(const nlohmann::json& json);
[[nodiscard]] nlohmann::json toJson(const Answer& answer);
[[nodiscard]] std::optional<Answer> answerFrom(const nlohmann::json& json);
[[nodiscard]] store::Node nodeFrom(const nlohmann::json& json);

}  // namespace hone::cluster
