#pragma once

#include <optional>

#include "base/error.h"
#include "base/progress.h"
#include "kernel/propose/analysis/analysis.h"
#include "kernel/turns/kernel_trials.h"
#include "model/result/summary/kernel_result.h"

namespace hone::kernel {

/// How an original does beside PyTorch, in interleaved rounds of fresh processes.
struct PyTorchComparison {
  double speedup = 0;  ///< of the kernel over PyTorch
  double kernelNs = 0;
  double pytorchNs = 0;
};

/// Rounds that were recorded before are not measured again. Nothing where there is no PyTorch, or
/// where it cannot be timed.
[[nodiscard]] Result<std::optional<PyTorchComparison>> besidePyTorch(KernelTrials& trials,
                                                                     engine::Rounds& rounds,
                                                                     Progress& progress);

using model::ListedKernel;

/// True if it is below the threshold; without PyTorch by its category.
[[nodiscard]] bool isSlow(const ListedKernel& listed, double threshold);

/// Judges a kernel and measures it beside PyTorch. What is wrong with the kernel is a value.
[[nodiscard]] Result<ListedKernel> listKernel(KernelTrials& trials, const Source& source,
                                              const Measured& machine, Progress& progress);

}  // namespace hone::kernel
