#pragma once

#include <optional>
#include <string>

#include "knobs/listed_knobs.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Tile sizes of the SPIR-V backend, one per loop.
struct VulkanConfig {
  bool vectorize = true;  ///< a thread's tile is a vector instead of a loop
  Sizes workgroup, thread, reduction, window;

  explicit VulkanConfig(std::size_t loops);

  [[nodiscard]] Tiling tiling() const;
  [[nodiscard]] static VulkanConfig from(const Tiling& tiling);
};

/// Returns the threads along x, y and z: the workgroup's tile divided by the thread's. x is the
/// loop that is contiguous in the result.
[[nodiscard]] Sizes workgroupSize(const model::RootOperation& root, const VulkanConfig& config);

[[nodiscard]] TilingForm vulkanForm(const model::RootOperation& root);

/// Formats `config` as a compilation_info attribute.
[[nodiscard]] std::string compilationInfo(const model::RootOperation& root,
                                          const VulkanConfig& config);

/// Returns the compiler's default for the operation; nothing if these knobs cannot express it.
[[nodiscard]] std::optional<VulkanConfig> vulkanCompilerDefault(const model::RootOperation& root);

}  // namespace hone::knobs
