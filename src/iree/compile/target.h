#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::iree {

/// What code is made for.
struct Target {
  std::string name;                  ///< "local", "vulkan", "rocm:gfx942", "cuda:sm_80"
  std::vector<std::string> flags;    ///< what tells the compiler so
  std::vector<std::string> devices;  ///< drivers that can run it, the one to take first
};

/// Reads a target's name; an unknown one is a user error that lists the known.
[[nodiscard]] Result<Target> targetFrom(std::string_view name);

}  // namespace hone::iree
