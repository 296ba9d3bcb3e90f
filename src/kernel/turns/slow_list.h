#pragma once

#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/progress.h"
#include "kernel/propose/analysis/analysis.h"
#include "kernel/turns/trials/kernel_trials.h"
#include "model/result/summary/kernel_result.h"

namespace hone::kernel {

/// An original kernel compared with PyTorch.
struct PyTorchComparison {
  double speedup = 0;  ///< of the kernel over PyTorch
  double kernelNs = 0;
  double pytorchNs = 0;
};

/// Measures the original against PyTorch in interleaved rounds of fresh processes. Reuses recorded
/// rounds. Returns nothing if PyTorch is missing or cannot be timed.
[[nodiscard]] Result<std::optional<PyTorchComparison>> compareWithPyTorch(KernelTrials& trials,
                                                                          engine::Rounds& rounds,
                                                                          Progress& progress);

using model::ListedKernel;

/// Limits below which a kernel is slow.
struct SlowThreshold {
  double speedup = 0.8;  ///< over PyTorch
  double share = 0.3;    ///< of the roofline, for kernels without PyTorch

  /// Returns the limits for the value of --threshold, which applies to both; by default those
  /// above.
  [[nodiscard]] static SlowThreshold from(std::optional<double> given);
};

/// Returns "PyTorch", "roofline", or "" for a kernel that was compared with neither.
[[nodiscard]] std::string_view comparedWith(const ListedKernel& listed);

/// Returns true if the kernel is below the threshold. If it was compared with nothing, its category
/// decides.
[[nodiscard]] bool isSlow(const ListedKernel& listed, const SlowThreshold& threshold);

/// Judges a kernel and measures it against PyTorch. A kernel that fails is not an error: its
/// `problem` says why.
[[nodiscard]] Result<ListedKernel> listKernel(KernelTrials& trials, const Source& source,
                                              const Measured& machine, Progress& progress);

}  // namespace hone::kernel
