#pragma once

namespace hone::iree {

/// Compiler phases used by hone, as in `iree-compile --compile-to=`.
inline constexpr const char* kPhaseStart = "start";
inline constexpr const char* kPhaseAbi = "abi";  ///< the last one before preprocessing
inline constexpr const char* kPhaseGlobalOptimization = "global-optimization";
inline constexpr const char* kPhaseFlow = "flow";
inline constexpr const char* kPhaseExecutableSources = "executable-sources";
inline constexpr const char* kPhaseExecutableConfigurations = "executable-configurations";
inline constexpr const char* kPhaseExecutableTargets = "executable-targets";
inline constexpr const char* kPhaseEnd = "end";

}  // namespace hone::iree
