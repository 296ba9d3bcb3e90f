#pragma once

#include <string>

namespace hone::tune {

// Transform scripts for --iree-preprocessing-transform-spec-filename that give convolutions the
// layouts that the compiler vectorizes on CPUs. They change nothing where there is none.

/// Puts the filters of channels-last convolutions in the order that the compiler can work with:
/// with the filter's number first it vectorizes nothing. The compiler undoes it again, unless it
/// rewrites the convolution before.
[[nodiscard]] std::string filtersLastScript();

/// Puts channels and filters last in convolutions of any layout, for good: what was turned stands
/// behind a barrier that the compiler does not fuse across.
[[nodiscard]] std::string channelsLastScript();

/// And makes a matmul for each place of the filter, the sum of which is the convolution: dilated
/// ones, and filters of one column, which the compiler makes neither matmuls of nor vectorizes.
[[nodiscard]] std::string placeByPlaceScript();

}  // namespace hone::tune
