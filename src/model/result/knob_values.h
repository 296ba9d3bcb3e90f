#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace hone::model {

/// The values by their knobs of a config's name "rows=64 columns=32 peel=1"; nothing for a name of
/// another form.
[[nodiscard]] std::optional<std::map<std::string, std::int64_t>> valuesNamed(std::string_view name);

}  // namespace hone::model
