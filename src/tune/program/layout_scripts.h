#pragma once

#include <string>

namespace hone::tune {

// Transform scripts for --iree-preprocessing-transform-spec-filename. They convert convolutions to
// layouts that the compiler vectorizes on CPUs, and do nothing in programs without convolutions.

/// Returns a script that moves the filter dimension of channels-last convolutions last: the
/// compiler does not vectorize filter-first ones. The compiler reverts the change unless it
/// rewrites the convolution first.
[[nodiscard]] std::string filtersLastScript();

/// Returns a script that moves channels and filters last in convolutions of any layout. Fusion
/// barriers around the transposes keep the compiler from reverting it.
[[nodiscard]] std::string channelsLastScript();

/// Like channelsLastScript(), and splits each convolution into a sum of matmuls, one per filter
/// position. Covers dilated convolutions and filters with one column, which the compiler neither
/// vectorizes nor converts to matmuls.
[[nodiscard]] std::string placeByPlaceScript();

}  // namespace hone::tune
