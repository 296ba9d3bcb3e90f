#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hone::kernel {

/// A tensor whose surroundings are watched.
struct WatchedTensor {
  std::string name;
  bool isInput = false;
  const std::byte* mapBegin = nullptr;
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  const std::byte* mapEnd = nullptr;
};

/// In a worker: signals that a kernel brings on itself (SIGSEGV, SIGFPE, SIGSYS, …) are answered as
/// failures of the request under way, with the tensor that it went beyond, and end the process.
void catchFaults();
void watchFaults(WatchedTensor tensor);
/// The request that a failure answers.
void setRequestUnderWay(std::uint64_t id);

}  // namespace hone::kernel
