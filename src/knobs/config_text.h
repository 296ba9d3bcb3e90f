#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hone::knobs {

// Parsing of configurations as the compiler prints them, such as
// "#iree_gpu.lowering_config<{reduction = [0, 0, 2], subgroup_basis = [[2, 8], [0, 1]]}>".
// Returned views start at the requested item and extend to the end of the text.

/// Returns the text after "name = "; "" if there is no such entry.
[[nodiscard]] std::string_view findEntry(std::string_view config, std::string_view name);

/// Returns the element at `index` of "[1, [2, 3], 4]…"; "" if there is none.
[[nodiscard]] std::string_view listElement(std::string_view list, std::size_t index);

/// Parses the numbers of "[1, 2]…"; nothing if `list` is not a list of plain numbers.
[[nodiscard]] std::optional<std::vector<std::int64_t>> parseNumbers(std::string_view list);

/// Returns true if `translationInfo` uses `pipeline`.
[[nodiscard]] bool namesPipeline(std::string_view translationInfo, std::string_view pipeline);

}  // namespace hone::knobs
