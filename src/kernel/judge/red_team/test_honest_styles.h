#pragma once

#include <string>
#include <vector>

#include "kernel/source/test_kernels.h"

namespace hone::kernel {

/// Returns honest kernels: every operation (matrix product, softmax, layer norm, reduction, gather,
/// elementwise, convolution) in every style (loops, templates, lambdas, classes, macros, scratch
/// memory, tables, intrinsics, …). Named "OPERATION_STYLE".
[[nodiscard]] std::vector<TestKernel> honestStyles();

/// Returns the number of styles. honestStyles() has all styles of an operation in a row.
[[nodiscard]] std::size_t countHonestStyles();

}  // namespace hone::kernel
