#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/spec/spec_file.h"

namespace hone::iree {

/// Which of two entries for the same operation is taken.
enum class Prefer : std::uint8_t { neither, first, second };

/// Two entries that match the same and configure it differently.
struct SpecConflict {
  std::string first;   ///< the entry's name in the first spec
  std::string second;  ///< and in the second
  std::string what;    ///< that both match
};

/// Two specs as one.
struct MergedSpec {
  std::string text;  ///< "" where there are conflicts and neither is preferred
  std::vector<SpecConflict> conflicts;
  std::size_t entries = 0;
  std::size_t equal = 0;  ///< entries that both had
};

/// The entries of the first spec, then those of the second that the first does not have. Names that
/// mean something else in the second are changed; helper sequences of one name that differ are a
/// user error.
[[nodiscard]] Result<MergedSpec> mergeSpecs(const Spec& first, const Spec& second, Prefer prefer);

}  // namespace hone::iree
