#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hone::knobs {

// The compiler's configurations as it prints them, such as
// "#iree_gpu.lowering_config<{reduction = [0, 0, 2], subgroup_basis = [[2, 8], [0, 1]]}>", read.
// What is returned goes on behind the thing asked for, to the text's end.

/// What follows "name = "; "" where there is no such entry.
[[nodiscard]] std::string_view entryOf(std::string_view config, std::string_view name);

/// An element of "[1, [2, 3], 4]…"; "" where there is none.
[[nodiscard]] std::string_view elementOf(std::string_view list, std::size_t index);

/// The numbers of "[1, 2]…"; nothing where it is no list, or where one is not a plain number.
[[nodiscard]] std::optional<std::vector<std::int64_t>> numbersOf(std::string_view list);

/// Whether the pipeline is the one of a translation info.
[[nodiscard]] bool namesPipeline(std::string_view translationInfo, std::string_view pipeline);

}  // namespace hone::knobs
