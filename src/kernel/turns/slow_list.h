#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/progress.h"
#include "kernel/propose/analysis.h"
#include "kernel/turns/kernel_trials.h"

namespace hone::kernel {

/// How an original does beside PyTorch, in interleaved rounds of fresh processes.
struct BesidePyTorch {
  double speedup = 0;  ///< of the kernel over PyTorch
  double kernelNs = 0;
  double pytorchNs = 0;
};

/// Rounds that were recorded before are not measured again. Nothing where there is no PyTorch, or
/// where it cannot be timed.
[[nodiscard]] Result<std::optional<BesidePyTorch>> besidePyTorch(KernelTrials& trials,
                                                                 engine::Rounds& rounds,
                                                                 Progress& progress);

/// A kernel as a list shows it.
struct ListedKernel {
  std::string kernel;   ///< its file, as the list names it
  std::string content;  ///< equal for kernels and references that are, on machines that are
  std::string problem;  ///< why it has no figures: no reference, wrong, not timed; "" else
  std::optional<double> speedup;  ///< over PyTorch
  double kernelNs = 0;
  double pytorchNs = 0;
  double share = 0;  ///< of the roofline
  std::string category;

  /// Below the threshold; without PyTorch by its category.
  [[nodiscard]] bool slow(double threshold) const;
  bool operator==(const ListedKernel&) const = default;
};

[[nodiscard]] nlohmann::json toJson(const ListedKernel& listed);
[[nodiscard]] ListedKernel listedKernelFrom(const nlohmann::json& json);

/// Judges a kernel and measures it beside PyTorch. What is wrong with the kernel is a value.
[[nodiscard]] Result<ListedKernel> listKernel(KernelTrials& trials, const Source& source,
                                              const Measured& machine, Progress& progress);

}  // namespace hone::kernel
