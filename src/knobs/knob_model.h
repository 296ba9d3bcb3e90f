#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "search/space/space.h"

namespace hone::knobs {

/// Configuration of an operation other than the root.
struct CompanionConfig {
  std::string op;              ///< "linalg.generic#1"
  std::string loweringConfig;  ///< as MLIR text

  bool operator==(const CompanionConfig&) const = default;
};

/// Search space of one dispatch, and its translation to compiler attributes.
struct KnobModel {
  search::Space space;
  /// Returns the compilation_info attributes of points, as MLIR text.
  std::function<Result<std::vector<std::string>>(std::span<const std::size_t>)> compilationInfos;
  /// Estimates the cost of a point from a machine model. The unit is arbitrary: use it for ranking
  /// only.
  std::function<double(std::size_t)> guess;
  std::vector<std::size_t> first;  ///< points to try first, most promising first
  bool complete = true;            ///< false: the space is a subset of a larger one
  /// Returns the decomposition_config attributes of points, "" for points without one. Null if no
  /// point has one.
  std::function<Result<std::vector<std::string>>(std::span<const std::size_t>)>
      decompositionConfigs = nullptr;
  /// Returns the configurations of other operations at each point. Null if no point has any.
  std::function<std::vector<std::vector<CompanionConfig>>(std::span<const std::size_t>)>
      companionConfigs = nullptr;
};

}  // namespace hone::knobs
