#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace hone::model {

/// Summary of a failed run of any kind.
struct RunFailure {
  std::string error;
};

[[nodiscard]] nlohmann::json toJson(const RunFailure& failure);
/// Decodes a summary; `error` is "" if it has none.
[[nodiscard]] RunFailure runFailureFrom(const nlohmann::json& json);

}  // namespace hone::model
