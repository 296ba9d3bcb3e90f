#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knobs/listed_knobs.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Pipelines of the SPIR-V backend.
enum class VulkanPipeline : std::uint8_t {
  distribute,      ///< a thread's tile is a loop
  vectorize,       ///< a thread's tile is a vector
  subgroupReduce,  ///< the threads of a workgroup share a reduction
};

/// Tile sizes of the SPIR-V backend, one per loop.
struct VulkanConfig {
  VulkanPipeline pipeline = VulkanPipeline::vectorize;
  Sizes workgroup, thread, reduction, window;

  explicit VulkanConfig(std::size_t loops);

  [[nodiscard]] Tiling tiling() const;
  [[nodiscard]] static VulkanConfig from(const Tiling& tiling);
};

/// Returns the threads along x, y and z: the workgroup's tile divided by the thread's. x is the
/// loop that is contiguous in the result. Threads that share a reduction all lie along x.
[[nodiscard]] Sizes workgroupSize(const model::RootOperation& root, const VulkanConfig& config);

[[nodiscard]] TilingForm vulkanForm(const model::RootOperation& root);

/// Formats `config` as a compilation_info attribute.
[[nodiscard]] std::string compilationInfo(const model::RootOperation& root,
                                          const VulkanConfig& config);

/// Returns the configurations of the root's companions under `config`; empty if its pipeline needs
/// none.
[[nodiscard]] std::vector<CompanionConfig> companionConfigs(const model::RootOperation& root,
                                                            const VulkanConfig& config);

/// Returns true if the compiler's default shares a reduction among threads, which needs a target
/// with subgroup arithmetic.
[[nodiscard]] bool sharesReductions(const model::RootOperation& root);

/// Returns the compiler's default for the operation; nothing if these knobs cannot express it.
[[nodiscard]] std::optional<VulkanConfig> vulkanCompilerDefault(const model::RootOperation& root);

}  // namespace hone::knobs
