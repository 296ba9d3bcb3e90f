#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace hone::kernel {

using Names = std::set<std::string, std::less<>>;

// Python names that the cheat scan allows or rejects.

/// Modules that kernels may import. Others compute the result or access the system.
[[nodiscard]] const Names& pythonModules();
/// Allowed members of modules that also have dangerous members. Modules not listed have none.
[[nodiscard]] const std::map<std::string, Names, std::less<>>& allowedMembers();
/// Modules of torch that kernels may import. Others compute the result.
[[nodiscard]] const Names& torchModules();
/// Members of allowed modules that give access to other modules or to foreign code.
[[nodiscard]] const Names& dangerousMembers();
/// Members of torch that create tensors, hold parameters or name types. All others compute.
[[nodiscard]] const Names& allowedTorch();
[[nodiscard]] const Names& allowedCuda();
/// Methods of tensors that compute what the kernel should compute.
[[nodiscard]] const Names& computingMethods();
/// Functions that kernels may not call, with a description.
[[nodiscard]] const std::map<std::string, std::string_view, std::less<>>& forbiddenFunctions();
/// Forbidden functions whose names are also common variable names; only calls are rejected.
[[nodiscard]] const Names& commonNames();

}  // namespace hone::kernel
