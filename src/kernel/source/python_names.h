#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace hone::kernel {

using Names = std::set<std::string, std::less<>>;

// Names of Python that tell honest kernels from others.

/// Modules that kernels are written with; others compute, or reach out of the kernel.
[[nodiscard]] const Names& pythonModules();
/// Of modules that have ways out: what kernels use of them. Modules that are not here have none.
[[nodiscard]] const std::map<std::string, Names, std::less<>>& honestMembers();
/// Those of torch; what is in the others does the work.
[[nodiscard]] const Names& torchModules();
/// Members of honest modules through which all others can be reached.
[[nodiscard]] const Names& waysOut();
/// What of torch makes tensors, holds parameters or names types; all else of it does the work.
[[nodiscard]] const Names& honestTorch();
[[nodiscard]] const Names& honestCuda();
/// Methods of tensors that compute what a kernel is there to compute.
[[nodiscard]] const Names& workingMethods();
/// Functions that no kernel calls, and what they do.
[[nodiscard]] const std::map<std::string, std::string_view, std::less<>>& pythonFunctions();
/// Those of them that are also names of variables: only a call of them is one.
[[nodiscard]] const Names& ordinaryNames();

}  // namespace hone::kernel
