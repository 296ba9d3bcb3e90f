#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/judge/call_tensors.h"
#include "kernel/judge/error_bound.h"
#include "kernel/judge/input_values.h"
#include "kernel/judge/judge.h"
#include "kernel/judge/machine_peak.h"
#include "kernel/judge/reference_run.h"
#include "kernel/judge/runnable.h"
#include "kernel/judge/subject.h"
#include "kernel/worker/cpp_build.h"
#include "kernel/worker/tensor_folder.h"

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

/// The parts of a judge; judge_verify.cc and judge_time.cc have its two halves.
struct Judge::State {
  Task task;
  JudgeOptions options;
  TensorFolder memory;  ///< before what has files in it
  CppBuilder builder;
  ReferenceRun reference;
  MachinePeak peak;
  /// Of each shape, at the begin and at the end of its pages.
  std::vector<std::array<CallTensors, 2>> tensors;
  std::vector<Case> timingCases;  ///< of the task's own shape; made when they are needed
  Random random;  ///< for timed inputs, marks, guards and stirring; never the same twice
  std::int64_t renewalNs = 0;     ///< what may be spent on other timed inputs
  std::int64_t timingCaseNs = 1;  ///< what the last of them took to make

  [[nodiscard]] const Shape& shapeOf(std::size_t index) const {
    return index == 0 ? task.shape : task.others[index - 1];
  }
  /// What may be run of a contestant; nothing where it does not build: `judged` says why.
  [[nodiscard]] Result<std::optional<Runnable>> runnableOf(const Contestant& contestant,
                                                           Judged& judged);
  [[nodiscard]] Result<Case> makeCase(std::size_t shape, ValueKind kind, std::uint64_t seed);

  /// Whether there is no trick; else `judged` says which.
  [[nodiscard]] static bool isFair(const std::string& trick, Judged& judged);
  /// Runs the subject on all sets of inputs; `judged` says what is wrong.
  [[nodiscard]] Result<void> verify(const Runnable& runnable, bool general, std::uint64_t salt,
                                    Judged& judged);
  /// Whether the outputs are those of the case, and nothing else was written.
  [[nodiscard]] Result<bool> check(const Subject& subject, const CallTensors& tensors,
                                   Case& expected, Judged& judged);
  /// Takes the samples of one process, and checks what it computed meanwhile.
  [[nodiscard]] Result<void> time(const Runnable& runnable, model::Stage stage, std::int64_t round,
                                  std::int64_t position, Judged& judged);
  /// How long a call may take at most.
  [[nodiscard]] std::chrono::milliseconds patience(std::size_t shape) const;

 private:
  [[nodiscard]] Result<bool> callAndCheck(Subject& subject, Case& expected, Placement placement,
                                          Judged& judged);
  [[nodiscard]] Result<void> widenScales(Case& expected);
  /// How often inputs of the shape are changed to see how sensitive the reference is.
  [[nodiscard]] std::uint64_t mostChanges(std::size_t shape) const;
  /// Has the oldest timed inputs made anew, as many as there is time for.
  void renewTimingCases();
  /// The inputs of the turn-th request of a process; they are other ones in the next.
  [[nodiscard]] Result<Case*> timingCase(std::size_t turn);
  [[nodiscard]] Result<void> checkSpeed(Judged& judged);
};

}  // namespace hone::kernel
