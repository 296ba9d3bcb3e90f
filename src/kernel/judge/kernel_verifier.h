#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "kernel/judge/input/call_tensors.h"
#include "kernel/judge/input/input_values.h"
#include "kernel/judge/judge_context.h"
#include "kernel/judge/judged.h"
#include "kernel/judge/reference_run.h"
#include "kernel/judge/runnable.h"
#include "kernel/judge/subject.h"

namespace hone::kernel {

/// Inputs with what must come of them.
struct Case {
  std::size_t shape = 0;  ///< 0: the task's own
  ValueKind kind = ValueKind::unit;
  std::uint64_t seed = 0;
  std::vector<verify::Tensor> inputs;
  Expected expected;
  Expected scales;            ///< of the errors of each output
  Expected condition;         ///< what other inputs than these show of the scales
  std::uint64_t changes = 0;  ///< of the inputs, as many as were needed
};

/// Compares what kernels compute with the reference. The context must outlive it.
class KernelVerifier {
 public:
  explicit KernelVerifier(JudgeContext& context) : context_(context) {}

  [[nodiscard]] Result<Case> makeCase(std::size_t shape, ValueKind kind, std::uint64_t seed);
  /// Runs the kernel on all sets of inputs; `general` adds those of the other shapes. What is wrong
  /// is noted in `judged`. `salt` tells the inputs of different trials apart.
  [[nodiscard]] Result<void> verify(const Runnable& runnable, bool general, std::uint64_t salt,
                                    Judged& judged);
  /// Returns true if the outputs are those of the case and nothing else was written; otherwise
  /// notes in `judged` what is wrong.
  [[nodiscard]] Result<bool> check(const Subject& subject, const CallTensors& tensors,
                                   Case& expected, Judged& judged);

 private:
  [[nodiscard]] Result<bool> callAndCheck(Subject& subject, Case& expected, Placement placement,
                                          Judged& judged);
  /// Allows more where the reference is sensitive to its inputs, and where numbers near these ones
  /// make large outputs: as one more change of the inputs shows.
  [[nodiscard]] Result<void> widenScales(Case& expected);
  /// Returns how often inputs of the shape are changed to see how sensitive the reference is.
  [[nodiscard]] std::uint64_t mostChanges(std::size_t shape) const;

  JudgeContext& context_;
};

}  // namespace hone::kernel
