#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "iree/compile/evidence/kernel_resources.h"

namespace hone::iree {

/// PTX programs of an NVIDIA module, and the launch parameters that are not part of the PTX.
struct PtxCode {
  std::vector<std::string> programs;
  /// Per exported kernel: name, threads, shared memory; without registers.
  std::vector<KernelResources> exports;
};

/// Finds the CUDA executables within `module`, such as a .vmfb.
[[nodiscard]] PtxCode findPtx(std::string_view module);

/// Parses the report of `ptxas -v`: registers and spills per kernel.
[[nodiscard]] std::vector<KernelResources> parsePtxasReport(std::string_view report);

/// Estimates the registers of each kernel from the live ranges of the virtual registers in a PTX
/// program, in the order of the text. Does not know about spills.
[[nodiscard]] std::vector<KernelResources> estimateRegisters(std::string_view ptx);

}  // namespace hone::iree
