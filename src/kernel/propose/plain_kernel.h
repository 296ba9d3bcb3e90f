#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/judge/task/task.h"
#include "kernel/source/source.h"

namespace hone::kernel {

/// Returns the declaration of a task's kernel in C++: inputs, outputs, sizes.
[[nodiscard]] std::string kernelDeclaration(const Task& task);

/// Returns a source without code that only names the entry point, for a first kernel.
[[nodiscard]] Source kernelSkeleton(const Task& task, Language language);

/// Returns plain C++ kernels for a C++ reference, the simplest first: the reference in the types of
/// the task, the same with its constants in double, and one that converts to double and back. The
/// judge decides which is correct.
[[nodiscard]] std::vector<Source> plainKernels(const Task& task, std::string_view reference);

}  // namespace hone::kernel
