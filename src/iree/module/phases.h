#pragma once

namespace hone::iree {

/// Compiler phases used by hone, as in `iree-compile --compile-to=`.
inline constexpr const char* kPhaseStart = "start";
/// After conversion of the input dialects (torch, StableHLO, TOSA).
inline constexpr const char* kPhaseInput = "input";
/// After conversion of public functions to buffer views.
inline constexpr const char* kPhaseAbi = "abi";
inline constexpr const char* kPhaseGlobalOptimization = "global-optimization";
inline constexpr const char* kPhaseFlow = "flow";
inline constexpr const char* kPhaseExecutableSources = "executable-sources";
inline constexpr const char* kPhaseExecutableConfigurations = "executable-configurations";
inline constexpr const char* kPhaseExecutableTargets = "executable-targets";
inline constexpr const char* kPhaseEnd = "end";

}  // namespace hone::iree
