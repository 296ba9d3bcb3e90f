#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "search/space/space.h"

namespace hone::knobs {

/// The values of a point as people, and model::valuesNamed, read them: "rows=64 columns=32 peel=1".
[[nodiscard]] std::string pointName(const search::Space& space, std::size_t point);
/// The point of that name, if the space has it.
[[nodiscard]] std::optional<std::size_t> pointNamed(const search::Space& space,
                                                    std::string_view name);

}  // namespace hone::knobs
