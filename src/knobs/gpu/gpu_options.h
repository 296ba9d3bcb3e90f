#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/root_operation.h"
#include "search/space/space.h"

namespace hone::knobs {

/// Returns the GPU knobs that are not part of the compiler's constraints; every combination is
/// legal. The value -1 keeps the compiler's default. "promote" is a bit mask of the operands placed
/// in shared memory; for an attention: queries, keys and values.
[[nodiscard]] std::vector<search::Knob> gpuOptionKnobs(bool amd, model::RootKind kind);

/// Knob of the number of pipeline stages of loads.
inline constexpr const char* kPrefetchStages = "prefetch_stages";

struct OptionSpace {
  search::Space space;
  bool complete = true;  ///< false: some combinations of options are missing
};

/// Appends the knobs to the space: every point with all combinations of options or, if there are
/// too many, with one option changed at a time.
[[nodiscard]] OptionSpace withOptions(const search::Space& space,
                                      const std::vector<search::Knob>& options);

/// Sets these options in a compilation_info given as MLIR text. `values` is keyed by knob name;
/// other names are ignored. Fails with a machine error if the text has an unknown form.
[[nodiscard]] Result<std::string> withOptions(std::string compilationInfo,
                                              const std::map<std::string, std::int64_t>& values);

/// Applies the "promote" value among the options to a decomposition_config.
[[nodiscard]] std::string withPromotions(std::string decompositionConfig,
                                         const std::map<std::string, std::int64_t>& values);

}  // namespace hone::knobs
