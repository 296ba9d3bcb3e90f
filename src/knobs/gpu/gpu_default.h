#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "iree/compile/constraints.h"
#include "model/problem/root_operation.h"
#include "search/space/space.h"

namespace hone::knobs {

/// What the compiler's own choice says at the places of the knobs, by their names; those that it
/// does not name are left out. Nothing where it chose another pipeline.
[[nodiscard]] std::optional<std::map<std::string, std::int64_t>> chosenByCompiler(
    const iree::PipelineConstraints& constraints, const model::RootOperation& root);

/// The point that is most like the values, which need not be legal together; knobs that they do not
/// name are left to the compiler where that is a value of theirs.
[[nodiscard]] std::optional<std::size_t> nearestPoint(
    const search::Space& space, const std::map<std::string, std::int64_t>& values);

}  // namespace hone::knobs
