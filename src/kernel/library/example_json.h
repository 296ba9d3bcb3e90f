#pragma once

#include <nlohmann/json_fwd.hpp>

#include "kernel/library/examples.h"

namespace hone::kernel {

[[nodiscard]] nlohmann::json toJson(const Example& example);
/// Decodes an example; throws nlohmann::json::exception if a field is missing.
[[nodiscard]] Example exampleFrom(const nlohmann::json& json);

}  // namespace hone::kernel
