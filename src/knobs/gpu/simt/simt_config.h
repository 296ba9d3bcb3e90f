#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knobs/knob_model.h"
#include "knobs/listed_knobs.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Pipelines of the compiler for dispatches without matrix instructions.
enum class SimtPipeline : std::uint8_t {
  tileAndFuse,       ///< each thread computes a tile of the result
  vectorDistribute,  ///< the threads of a workgroup share a reduction
};

/// Configuration of a dispatch without matrix instructions on an AMD or NVIDIA GPU. The lists have
/// one number per loop; 0: the loop is not tiled.
struct SimtConfig {
  SimtPipeline pipeline = SimtPipeline::tileAndFuse;
  std::int64_t subgroupSize = 0;
  bool promote = false;  ///< the inputs of a product pass through shared memory
  Sizes workgroup, thread, reduction;
  Sizes lanes, subgroups;  ///< of vectorDistribute: the grid of lanes and of subgroups

  explicit SimtConfig(std::size_t loops);

  [[nodiscard]] Tiling tiling() const;
  [[nodiscard]] static SimtConfig from(const Tiling& tiling);

  /// Returns the threads of a workgroup.
  [[nodiscard]] std::int64_t threads() const;
};

[[nodiscard]] TilingForm simtForm(const model::RootOperation& root);

/// Formats `config` as a compilation_info attribute.
[[nodiscard]] std::string compilationInfo(const model::RootOperation& root,
                                          const SimtConfig& config);

/// Returns the configurations of the root's companions under `config`; empty if its pipeline needs
/// none.
[[nodiscard]] std::vector<CompanionConfig> companionConfigs(const model::RootOperation& root,
                                                            const SimtConfig& config);

/// Returns the loop of a companion that is shared by the lanes in the compiler's default; nothing
/// if its configuration has another form.
[[nodiscard]] std::optional<std::size_t> distributedLoop(
    const model::CompanionOperation& companion);

/// Returns true if the companion has the loops of the root.
[[nodiscard]] bool hasSameLoops(const model::CompanionOperation& companion,
                                const model::RootOperation& root);

/// Returns the compiler's default for the operation; nothing if these knobs cannot express it.
[[nodiscard]] std::optional<SimtConfig> simtCompilerDefault(const model::RootOperation& root);

/// Returns the number after "subgroup_size = "; 0 if there is none.
[[nodiscard]] std::int64_t parseSubgroupSize(std::string_view translationInfo);

}  // namespace hone::knobs
