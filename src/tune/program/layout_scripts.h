#pragma once

#include <span>
#include <string>

#include "tune/layers/layer_rewrites.h"

namespace hone::tune {

// Transform scripts for --iree-preprocessing-transform-spec-filename. They convert convolutions to
// layouts that the compiler vectorizes on CPUs, and do nothing in programs without convolutions.

/// Returns a script that moves the filter dimension of channels-last convolutions last: the
/// compiler does not vectorize filter-first ones. The compiler reverts the change unless it
/// rewrites the convolution first.
[[nodiscard]] std::string filtersLastScript();

/// Returns a script that computes each of the layers in its way, and moves channels and filters
/// last in all other convolutions. The compiler moves the layout changes towards each other; those
/// that meet cancel out. Fusion barriers around the remaining ones keep the compiler from reverting
/// them.
[[nodiscard]] std::string channelsLastScript(std::span<const LayerChoice> choices);

/// Like channelsLastScript(), and splits each other convolution into a sum of matmuls, one per
/// filter position. Covers dilated convolutions and filters with one column, which the compiler
/// neither vectorizes nor converts to matmuls.
[[nodiscard]] std::string perPositionScript(std::span<const LayerChoice> choices);

}  // namespace hone::tune
