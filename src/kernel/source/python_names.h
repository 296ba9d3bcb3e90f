#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace hone::kernel {

using Names = std::set<std::string, std::less<>>;

// Python names that the cheat scan allows or rejects.

/// Returns the modules that kernels may import. Others compute the result or access the system.
[[nodiscard]] const Names& pythonModules();
/// Returns the allowed members of modules that also have dangerous ones. Modules not listed have
/// none.
[[nodiscard]] const std::map<std::string, Names, std::less<>>& allowedMembers();
/// Returns the modules of torch that kernels may import. Others compute the result.
[[nodiscard]] const Names& torchModules();
/// Returns the members of allowed modules that give access to other modules or to foreign code.
[[nodiscard]] const Names& dangerousMembers();
/// Returns the members of torch that create tensors, hold parameters or name types. All others
/// compute.
[[nodiscard]] const Names& allowedTorch();
[[nodiscard]] const Names& allowedCuda();
/// Returns the methods of tensors that compute; kernels may not call them.
[[nodiscard]] const Names& computingMethods();
/// Returns the functions that kernels may not call, with a description.
[[nodiscard]] const std::map<std::string, std::string_view, std::less<>>& forbiddenFunctions();
/// Returns the forbidden functions whose names are also common variable names; only calls are
/// rejected.
[[nodiscard]] const Names& commonNames();

}  // namespace hone::kernel
