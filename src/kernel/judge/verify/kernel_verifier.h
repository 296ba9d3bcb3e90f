#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "kernel/judge/execution/reference_run.h"
#include "kernel/judge/execution/runnable.h"
#include "kernel/judge/execution/running_kernel.h"
#include "kernel/judge/input/call_tensors.h"
#include "kernel/judge/input/input_values.h"
#include "kernel/judge/judge_context.h"
#include "kernel/judge/judge_result.h"
#include "kernel/judge/verify/error_bound.h"

namespace hone::kernel {

/// Inputs and their expected outputs.
struct Case {
  std::size_t shape = 0;  ///< 0: the task's own shape
  ValueKind kind = ValueKind::unit;
  std::uint64_t seed = 0;
  std::vector<verify::Tensor> inputs;
  Expected expected;
  Expected scales;                  ///< error scale of each output element
  Expected condition;               ///< largest effect of a perturbation so far, per output element
  std::uint64_t perturbations = 0;  ///< number of perturbations so far
};

/// Verifies the outputs of kernels against the reference. The context must outlive it.
class KernelVerifier {
 public:
  explicit KernelVerifier(JudgeContext& context) : context_(context) {}

  [[nodiscard]] Result<Case> makeCase(std::size_t shape, ValueKind kind, std::uint64_t seed);
  /// Computes the expected outputs of a case that has inputs.
  [[nodiscard]] Result<void> complete(Case& made);
  /// Runs the kernel on all sets of inputs, if `general` also on the other shapes. Records failures
  /// in `judged`. `salt` makes the inputs of different trials differ.
  [[nodiscard]] Result<void> verify(const Runnable& runnable, bool general, std::uint64_t salt,
                                    JudgeResult& judged);
  /// Returns true if `outputs`, a copy of those of the tensors, match the case and no memory around
  /// the tensors was written; otherwise records the failure in `judged`.
  [[nodiscard]] Result<bool> check(const CallTensors& tensors,
                                   std::span<const verify::Tensor> outputs, Case& expected,
                                   JudgeResult& judged);

 private:
  [[nodiscard]] Result<bool> callAndCheck(RunningKernel& running, Case& expected,
                                          Placement placement, JudgeResult& judged);
  /// Removes outputs that depend on NaN or infinities from the expected ones.
  [[nodiscard]] Result<void> excludeSpecials(Case& made);
  /// Perturbs the inputs once more and raises the scales where the reference is sensitive to them,
  /// or where nearby inputs give large outputs.
  [[nodiscard]] Result<void> widenScales(Case& expected);
  /// Returns the number of summands of an output element of this shape.
  [[nodiscard]] Result<double> reductionLength(std::size_t shape);
  /// Returns the maximum number of perturbations for inputs of this shape and a comparison that
  /// failed.
  [[nodiscard]] std::uint64_t maxPerturbations(std::size_t shape,
                                               const OutputComparison& compared) const;

  JudgeContext& context_;
  std::vector<std::optional<double>> lengths_;  ///< per shape; computed on first use
};

}  // namespace hone::kernel
