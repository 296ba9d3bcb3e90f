#pragma once

#include <optional>
#include <string>

#include "knobs/listed_knobs.h"
#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Pipelines of the CPU backend that have knobs. The number is the knob's value.
enum class CpuPipeline : std::int64_t {
  doubleTiling,
  convDecompose,
  mmt4d,
  linalgExt,
  dataTiling,
  bufferOps,
  byDefault,
};

/// Tile sizes of each level, one per loop. A level whose sizes are all 0 is omitted.
struct CpuConfig {
  CpuPipeline pipeline = CpuPipeline::doubleTiling;
  bool peel = false;  ///< remainder iterations run in a separate loop instead of being masked
  Sizes distribution, cacheParallel, cacheReduction, vectorParallel, vectorReduction, vectorInner;

  explicit CpuConfig(std::size_t loops);

  [[nodiscard]] Tiling tiling() const;
  [[nodiscard]] static CpuConfig from(const Tiling& tiling);
};

/// Returns the CPU backend's names for the fields of a CpuConfig.
[[nodiscard]] TilingForm cpuForm();

/// Formats `config` as a compilation_info attribute.
[[nodiscard]] std::string compilationInfo(const CpuConfig& config);

/// Returns the compiler's default for the operation; nothing if these knobs cannot express it.
[[nodiscard]] std::optional<CpuConfig> cpuCompilerDefault(const model::RootOperation& root);

}  // namespace hone::knobs
