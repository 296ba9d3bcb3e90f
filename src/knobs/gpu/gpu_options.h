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

/// Knobs of GPU code beside the compiler's constraints: whatever their values, a configuration
/// stays legal. A value of -1 leaves one as the compiler would have it. "promote" says which
/// operands go through shared memory, a bit each: of an attention the queries, the keys and the
/// values.
[[nodiscard]] std::vector<search::Knob> gpuOptionKnobs(bool amd, model::RootKind kind);

struct OptionSpace {
  search::Space space;
  bool complete = true;  ///< false: not every combination of the options is in it
};

/// The space with the knobs behind its own: every point with all their values, or, where that would
/// be too many, with one of them changed at a time.
[[nodiscard]] OptionSpace withOptions(const search::Space& space,
                                      const std::vector<search::Knob>& options);

/// The compilation_info, as MLIR text, with these options in it: names are those of the knobs, and
/// others are left alone. Text of another form is a machine error.
[[nodiscard]] Result<std::string> withOptions(std::string compilationInfo,
                                              const std::map<std::string, std::int64_t>& values);

/// A decomposition_config with the choice of operands among the options.
[[nodiscard]] std::string withPromotions(std::string decompositionConfig,
                                         const std::map<std::string, std::int64_t>& values);

}  // namespace hone::knobs
