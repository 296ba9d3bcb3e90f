#pragma once

#include <string_view>
#include <vector>

#include "iree/compile/evidence/kernel_resources.h"

namespace hone::iree {

/// Reads the metadata notes of the AMD code objects (ELF files) within `module`, such as a .vmfb.
/// Empty if there is none; damaged code objects are skipped.
[[nodiscard]] std::vector<KernelResources> amdKernels(std::string_view module);

}  // namespace hone::iree
