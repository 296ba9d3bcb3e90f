#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace hone::model {

/// Parses a config name such as "rows=64 columns=32 peel=1" into values by knob. Returns nullopt if
/// the name has another form.
[[nodiscard]] std::optional<std::map<std::string, std::int64_t>> valuesNamed(std::string_view name);

}  // namespace hone::model
