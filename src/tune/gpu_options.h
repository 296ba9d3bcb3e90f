#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "search/space.h"

namespace hone::tune {

/// Knobs of GPU code beside the compiler's constraints: whatever their values, a configuration
/// stays legal. A value of -1 leaves one as the compiler would have it.
[[nodiscard]] std::vector<search::Knob> gpuOptionKnobs(bool amd);

/// The space with the knobs behind its own: every point with all their values, or, where that would
/// be too many, with one of them changed at a time.
[[nodiscard]] search::Space withOptions(const search::Space& space,
                                        const std::vector<search::Knob>& options);

/// The compilation_info, as MLIR text, with these options in its translation_info: names are those
/// of the knobs, and others are left alone. Text of another form is a machine error.
[[nodiscard]] Result<std::string> withOptions(std::string compilationInfo,
                                              const std::map<std::string, std::int64_t>& values);

}  // namespace hone::tune
