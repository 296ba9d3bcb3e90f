#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/error.h"

namespace hone::verify {

// The types of ONNX Runtime's C API are opaque.
struct OrtStatus;
struct OrtEnv;
struct OrtSession;
struct OrtSessionOptions;
struct OrtRunOptions;
struct OrtValue;
struct OrtMemoryInfo;
struct OrtTypeInfo;
struct OrtTensorInfo;
struct OrtAllocator;

// X(member, slot, result, arguments): the functions that hone calls, and their positions in the
// table that OrtGetApiBase()->GetApi() returns. Positions never change: new functions are appended.
#define HONE_ONNX_RUNTIME_FUNCTIONS(X)                                                             \
  X(errorMessage, 2, const char*, (const OrtStatus*))                                              \
  X(createEnv, 3, OrtStatus*, (int, const char*, OrtEnv**))                                        \
  X(createSession, 7, OrtStatus*,                                                                  \
    (const OrtEnv*, const char*, const OrtSessionOptions*, OrtSession**))                          \
  X(run, 9, OrtStatus*,                                                                            \
    (OrtSession*, const OrtRunOptions*, const char* const*, const OrtValue* const*, std::size_t,   \
     const char* const*, std::size_t, OrtValue**))                                                 \
  X(createSessionOptions, 10, OrtStatus*, (OrtSessionOptions**))                                   \
  X(setLogSeverity, 22, OrtStatus*, (OrtSessionOptions*, int))                                     \
  X(setIntraOpThreads, 24, OrtStatus*, (OrtSessionOptions*, int))                                  \
  X(setInterOpThreads, 25, OrtStatus*, (OrtSessionOptions*, int))                                  \
  X(inputCount, 30, OrtStatus*, (const OrtSession*, std::size_t*))                                 \
  X(outputCount, 31, OrtStatus*, (const OrtSession*, std::size_t*))                                \
  X(inputTypeInfo, 33, OrtStatus*, (const OrtSession*, std::size_t, OrtTypeInfo**))                \
  X(inputName, 36, OrtStatus*, (const OrtSession*, std::size_t, OrtAllocator*, char**))            \
  X(outputName, 37, OrtStatus*, (const OrtSession*, std::size_t, OrtAllocator*, char**))           \
  X(createTensor, 49, OrtStatus*,                                                                  \
    (const OrtMemoryInfo*, void*, std::size_t, const std::int64_t*, std::size_t, int, OrtValue**)) \
  X(tensorData, 51, OrtStatus*, (OrtValue*, void**))                                               \
  X(castToTensorInfo, 55, OrtStatus*, (const OrtTypeInfo*, const OrtTensorInfo**))                 \
  X(elementType, 60, OrtStatus*, (const OrtTensorInfo*, int*))                                     \
  X(rank, 61, OrtStatus*, (const OrtTensorInfo*, std::size_t*))                                    \
  X(dimensions, 62, OrtStatus*, (const OrtTensorInfo*, std::int64_t*, std::size_t))                \
  X(tensorInfo, 65, OrtStatus*, (const OrtValue*, OrtTensorInfo**))                                \
  X(createCpuMemoryInfo, 69, OrtStatus*, (int, int, OrtMemoryInfo**))                              \
  X(defaultAllocator, 78, OrtStatus*, (OrtAllocator**))                                            \
  X(releaseEnv, 92, void, (OrtEnv*))                                                               \
  X(releaseStatus, 93, void, (OrtStatus*))                                                         \
  X(releaseMemoryInfo, 94, void, (OrtMemoryInfo*))                                                 \
  X(releaseSession, 95, void, (OrtSession*))                                                       \
  X(releaseValue, 96, void, (OrtValue*))                                                           \
  X(releaseTypeInfo, 98, void, (OrtTypeInfo*))                                                     \
  X(releaseTensorInfo, 99, void, (OrtTensorInfo*))                                                 \
  X(releaseSessionOptions, 100, void, (OrtSessionOptions*))

/// Functions of libonnxruntime.so, bound with dlopen.
struct OnnxRuntimeApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a type and a list of parameters
#define HONE_MEMBER(member, slot, result, arguments) result(*member) arguments = nullptr;
  HONE_ONNX_RUNTIME_FUNCTIONS(HONE_MEMBER)
#undef HONE_MEMBER
  const char* version = "";  ///< of the library

  /// Loads the library, which stays loaded. Fails with a machine error if it is not ONNX Runtime.
  [[nodiscard]] static Result<OnnxRuntimeApi> load(const std::filesystem::path& library);
  /// Converts a status and releases it; null is success.
  [[nodiscard]] Result<void> check(OrtStatus* status) const;
};

/// Returns the library in a folder of Python packages, "" if ONNX Runtime is not installed there.
[[nodiscard]] std::filesystem::path findOnnxRuntime(const std::filesystem::path& site);

}  // namespace hone::verify
