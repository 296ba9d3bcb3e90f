#pragma once

#include <optional>
#include <string>

#include "knobs/listed_knobs.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// The pipelines of the CPU backend that have knobs; the number is the value of the knob.
enum class CpuPipeline : std::int64_t {
  doubleTiling,
  convDecompose,
  mmt4d,
  linalgExt,
  dataTiling,
  bufferOps,
  byDefault,
};

/// The tile sizes of each level, one number a loop. All loops of a level that are 0: the level is
/// not there.
struct CpuConfig {
  CpuPipeline pipeline = CpuPipeline::doubleTiling;
  bool peel = false;  ///< what is left over at the edges is a loop of its own, and not masked
  Sizes distribution, cacheParallel, cacheReduction, vectorParallel, vectorReduction, vectorInner;

  explicit CpuConfig(std::size_t loops);

  [[nodiscard]] Tiling tiling() const;
  [[nodiscard]] static CpuConfig from(const Tiling& tiling);
};

/// How the CPU backend calls what is in a CpuConfig.
[[nodiscard]] TilingForm cpuForm();

/// The compilation_info attribute that tells the compiler so.
[[nodiscard]] std::string compilationInfo(const CpuConfig& config);

/// The compiler's own choice for the operation; nothing where it cannot be said with these knobs.
[[nodiscard]] std::optional<CpuConfig> defaultOf(const model::RootOperation& root);

}  // namespace hone::knobs
