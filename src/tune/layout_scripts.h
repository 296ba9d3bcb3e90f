#pragma once

#include <string>
#include <string_view>

namespace hone::tune {

// Transform scripts for --iree-preprocessing-transform-spec-filename that give convolutions the
// layouts that the compiler vectorizes on CPUs. They change nothing where there is none.

/// Puts the filters of channels-last convolutions in the order that the compiler can work with:
/// with the filter's number first it vectorizes nothing. The compiler undoes it again, unless it
/// rewrites the convolution before.
extern const std::string_view kFiltersLastScript;

/// Puts channels and filters last in convolutions of any layout, for good: what was turned stands
/// behind a barrier that the compiler does not fuse across.
[[nodiscard]] std::string channelsLastScript();

}  // namespace hone::tune
