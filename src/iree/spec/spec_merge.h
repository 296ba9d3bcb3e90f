#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/spec/spec_file.h"

namespace hone::iree {

/// The spec that wins if both configure the same operation.
enum class Prefer : std::uint8_t { neither, first, second };

/// Two entries that match the same operations but configure them differently.
struct SpecConflict {
  std::string first;   ///< the entry's name in the first spec
  std::string second;  ///< the entry's name in the second spec
  std::string what;    ///< describes the operation that both match
};

/// The result of mergeSpecs().
struct MergedSpec {
  std::string text;  ///< "" if there are conflicts and neither spec is preferred
  std::vector<SpecConflict> conflicts;
  std::size_t entries = 0;
  std::size_t equal = 0;  ///< entries present in both specs
};

/// Merges two specs: the entries of the first, then those that only the second has. Renames symbols
/// of the second that clash. Fails with a user error if helper sequences of one name differ.
[[nodiscard]] Result<MergedSpec> mergeSpecs(const Spec& first, const Spec& second, Prefer prefer);

}  // namespace hone::iree
