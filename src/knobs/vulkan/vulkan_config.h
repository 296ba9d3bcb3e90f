#pragma once

#include <optional>
#include <string>

#include "knobs/listed_knobs.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Tile sizes of the SPIR-V backend, one number a loop.
struct VulkanConfig {
  bool vectorize = true;  ///< a thread's tile is a vector, and not a loop
  Sizes workgroup, thread, reduction, window;

  explicit VulkanConfig(std::size_t loops);

  [[nodiscard]] Tiling tiling() const;
  [[nodiscard]] static VulkanConfig from(const Tiling& tiling);
};

/// The threads along x, y and z: as often as a thread's tile goes into the workgroup's, the loop
/// along the result's memory first.
[[nodiscard]] Sizes workgroupSize(const model::RootOperation& root, const VulkanConfig& config);

[[nodiscard]] TilingForm vulkanForm(const model::RootOperation& root);

/// The compilation_info attribute that tells the compiler so.
[[nodiscard]] std::string compilationInfo(const model::RootOperation& root,
                                          const VulkanConfig& config);

/// The compiler's own choice for the operation; nothing where it cannot be said with these knobs.
[[nodiscard]] std::optional<VulkanConfig> vulkanDefaultOf(const model::RootOperation& root);

}  // namespace hone::knobs
