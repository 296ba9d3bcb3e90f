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

/// Returns the values of the knobs, by name, in the compiler's default configuration. Knobs that it
/// does not mention are omitted. Nothing if it uses another pipeline.
[[nodiscard]] std::optional<std::map<std::string, std::int64_t>> chosenByCompiler(
    const iree::PipelineConstraints& constraints, const model::RootOperation& root);

/// Returns the point closest to `values`, which need not be a legal combination. Prefers -1 (the
/// compiler's default) for knobs without a value.
[[nodiscard]] std::optional<std::size_t> nearestPoint(
    const search::Space& space, const std::map<std::string, std::int64_t>& values);

}  // namespace hone::knobs
