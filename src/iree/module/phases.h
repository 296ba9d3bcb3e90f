#pragma once

namespace hone::iree {

/// Compiler phases that hone names; any phase of `iree-compile --compile-to=` works.
inline constexpr const char* kPhaseStart = "start";
inline constexpr const char* kPhaseGlobalOptimization = "global-optimization";
inline constexpr const char* kPhaseFlow = "flow";
inline constexpr const char* kPhaseExecutableSources = "executable-sources";
inline constexpr const char* kPhaseExecutableConfigurations = "executable-configurations";
inline constexpr const char* kPhaseExecutableTargets = "executable-targets";
inline constexpr const char* kPhaseEnd = "end";

}  // namespace hone::iree
