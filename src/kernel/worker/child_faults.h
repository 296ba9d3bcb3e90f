#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hone::kernel {

/// A tensor and its guard pages; accesses to the guard pages are reported with the tensor's name.
struct WatchedTensor {
  std::string name;
  bool isInput = false;
  const std::byte* mapBegin = nullptr;
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  const std::byte* mapEnd = nullptr;
};

/// Installs handlers for the signals that a kernel can raise (SIGSEGV, SIGFPE, SIGSYS, …). A
/// handler fails the current request, names the tensor whose bounds were exceeded, and ends the
/// process. Worker processes only.
void catchFaults();
void watchFaults(WatchedTensor tensor);
/// Sets the request that a fault replies to.
void setCurrentRequest(std::uint64_t id);

}  // namespace hone::kernel
