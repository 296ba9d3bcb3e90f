#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "kernel/judge/execution/running_kernel.h"
#include "kernel/judge/input/call_tensors.h"
#include "kernel/judge/judge.h"
#include "kernel/judge/task/task.h"
#include "kernel/worker/cpp/cpp_build.h"

namespace hone::kernel {

/// The outputs of the reference, in f64.
using Expected = std::vector<std::vector<double>>;

/// Computes a task's reference in f64 in a separate worker. All failures of the reference are user
/// errors.
class ReferenceRun {
 public:
  [[nodiscard]] static Result<ReferenceRun> open(const Task& task, const JudgeOptions& options,
                                                 CppBuilder& builder,
                                                 const std::filesystem::path& tensorFolder);

  /// Runs the reference. `shape` is 0 for the task's own shape, or 1 + the index of another shape.
  [[nodiscard]] Result<Expected> compute(std::size_t shape, std::span<const verify::Tensor> inputs);
  /// Returns the inputs that a Python reference creates for a shape, in f64; empty for a C++
  /// reference.
  [[nodiscard]] Result<std::vector<verify::Tensor>> naturalInputs(std::size_t shape,
                                                                  std::uint64_t seed);
  /// Perturbs each input by a small relative amount, up or down at random, and returns the change
  /// of each output element divided by that amount. Changes may cancel in an element by chance.
  [[nodiscard]] Result<Expected> condition(std::size_t shape,
                                           std::span<const verify::Tensor> inputs,
                                           const Expected& expected, std::uint64_t seed);
  /// Returns the magnitude of each output element for the inputs with random signs. Small outputs
  /// have too few neighbours to show the magnitude of the terms that cancelled.
  [[nodiscard]] Result<Expected> signFlipMagnitudes(std::size_t shape,
                                                    std::span<const verify::Tensor> inputs,
                                                    std::uint64_t seed);
  /// Returns the longest time that a call of this shape has taken so far.
  [[nodiscard]] std::chrono::nanoseconds longestCall(std::size_t shape) const {
    return longest_[shape];
  }

 private:
  ReferenceRun(RunningKernel running, std::vector<CallTensors> tensors, std::filesystem::path file,
               std::chrono::milliseconds limit)
      : running_(std::move(running)),
        tensors_(std::move(tensors)),
        longest_(tensors_.size()),
        file_(std::move(file)),
        name_(file_.filename().string()),
        limit_(limit) {}
  [[nodiscard]] Result<Expected> run(std::size_t shape, std::span<const verify::Tensor> wide);

  RunningKernel running_;
  std::vector<CallTensors> tensors_;
  std::vector<std::chrono::nanoseconds> longest_;
  std::filesystem::path file_;
  std::string name_;
  std::chrono::milliseconds limit_;
  Random random_{1};
};

}  // namespace hone::kernel
