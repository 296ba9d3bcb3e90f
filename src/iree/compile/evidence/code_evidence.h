#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "iree/compile/evidence/kernel_resources.h"

namespace hone::iree {

/// Origin of the resources.
enum class EvidenceSource : std::uint8_t {
  none,         ///< no code that hone can read
  amdMetadata,  ///< the metadata of the code object: exact
  ptxas,        ///< NVIDIA's assembler: exact
  ptxText,      ///< estimated from the PTX, without spills
};

/// Resources of the kernels of a module.
struct CodeEvidence {
  EvidenceSource source = EvidenceSource::none;
  std::vector<KernelResources> kernels;
};

/// Returns true if hone can read the code of the target.
[[nodiscard]] bool hasEvidence(std::string_view target);

/// Reads the resources of the kernels of a compiled module (.vmfb). `target` is hone's name of the
/// target; other targets than AMD and NVIDIA GPUs have no evidence. Runs ptxas if it is on PATH.
[[nodiscard]] Result<CodeEvidence> readEvidence(const std::filesystem::path& module,
                                                std::string_view target);

}  // namespace hone::iree
