#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "search/space/space.h"

namespace hone::knobs {

/// What can be chosen for one dispatch, and how the compiler is told.
struct KnobModel {
  search::Space space;
  /// The compilation_info attributes of points, as MLIR text.
  std::function<Result<std::vector<std::string>>(std::span<const std::size_t>)> compilationInfos;
  /// What a point costs by what is known of the machine, in any unit: good for an order only.
  std::function<double(std::size_t)> guess;
  std::vector<std::size_t> first;  ///< points to begin with, the likeliest first
  bool complete = true;            ///< false: the space is a part of a larger one
  /// The decomposition_config attributes of points, "" for none; nothing where no point has one.
  std::function<Result<std::vector<std::string>>(std::span<const std::size_t>)>
      decompositionConfigs = nullptr;
};

}  // namespace hone::knobs
