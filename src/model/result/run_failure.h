#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace hone::model {

/// The summary of a run that failed, of any kind.
struct RunFailure {
  std::string error;
};

[[nodiscard]] nlohmann::json toJson(const RunFailure& failure);
/// Its error is "" if the summary has none.
[[nodiscard]] RunFailure runFailureFrom(const nlohmann::json& json);

}  // namespace hone::model
