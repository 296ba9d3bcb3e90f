#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::iree {

/// A compilation target.
struct Target {
  std::string name;                  ///< "local", "vulkan", "rocm:gfx942", "cuda:sm_80"
  std::vector<std::string> flags;    ///< compiler flags that select the target
  std::vector<std::string> devices;  ///< drivers that can run its code, the default first
};

/// Parses a target's name. Fails with a user error that lists the known targets.
[[nodiscard]] Result<Target> targetFrom(std::string_view name);

}  // namespace hone::iree
