#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "search/space/space.h"

namespace hone::knobs {

/// Formats the values of a point: "rows=64 columns=32 peel=1". model::valuesNamed parses it.
[[nodiscard]] std::string pointName(const search::Space& space, std::size_t point);
/// Returns the point with that name; nothing if the space does not contain it.
[[nodiscard]] std::optional<std::size_t> findPointByName(const search::Space& space,
                                                         std::string_view name);

}  // namespace hone::knobs
