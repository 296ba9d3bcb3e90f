#pragma once

#include <string>

#include "profile/tuning.h"

namespace hone::profile {

// What the lists of several targets share.

/// The config that consists of these parts; its name is made of them.
[[nodiscard]] TuningConfig tuningConfig(std::string tile, std::string coreClass,
                                        std::string instructionClass, std::string compilationInfo);

/// What the vector units do: "fma" or, with integers, "simd".
[[nodiscard]] std::string vectorInstruction(model::ElementType result);

/// Whether tiles can be asked of a convolution: a forward 2-D one without groups, all of whose
/// loops run more than once. The compiler folds those that do not, and loses the attribute.
[[nodiscard]] bool takesTiles(const model::Conv& conv);

}  // namespace hone::profile
