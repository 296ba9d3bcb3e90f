#pragma once

#include <cstddef>
#include <vector>

#include "kernel/worker/runner/runner_setup.h"

namespace hone::kernel {

/// A tensor in the kernel's process: a file shared with the supervisor, mapped between two
/// inaccessible pages.
struct MappedTensor {
  std::byte* begin = nullptr;
  std::byte* end = nullptr;
  std::byte* mapBegin = nullptr;  ///< start of the mapping, including its guard page
  std::byte* mapEnd = nullptr;
};

/// Maps the tensors, inputs read-only: their descriptors cannot write, so that the mappings can
/// never be made writable. Returns an empty list if a file cannot be mapped.
[[nodiscard]] std::vector<MappedTensor> mapTensors(const std::vector<RunnerTensor>& tensors);

}  // namespace hone::kernel
