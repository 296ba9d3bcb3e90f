#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "kernel/judge/input/call_tensors.h"
#include "kernel/judge/judge.h"
#include "kernel/judge/subject.h"
#include "kernel/judge/task/task.h"
#include "kernel/worker/cpp/cpp_build.h"

namespace hone::kernel {

/// The outputs of the reference, in f64.
using Expected = std::vector<std::vector<double>>;

/// Computes a task's reference in f64, in a worker of its own. Whatever is wrong with it is the
/// user's error.
class ReferenceRun {
 public:
  [[nodiscard]] static Result<ReferenceRun> open(const Task& task, const JudgeOptions& options,
                                                 CppBuilder& builder,
                                                 const std::filesystem::path& tensorFolder);

  /// For shape 0, the task's own, or one of the others from 1 on.
  [[nodiscard]] Result<Expected> compute(std::size_t shape, std::span<const verify::Tensor> inputs);
  /// The inputs of a shape as a Python reference itself makes them, in f64; none of a C++ one.
  [[nodiscard]] Result<std::vector<verify::Tensor>> natural(std::size_t shape, std::uint64_t seed);
  /// What a relative change of the inputs, up or down at random, makes of each output element,
  /// divided by the change. The changes of one element may cancel each other by chance.
  [[nodiscard]] Result<Expected> condition(std::size_t shape,
                                           std::span<const verify::Tensor> inputs,
                                           const Expected& expected, std::uint64_t seed);
  /// How large each output element is for the same inputs with other signs. Few elements have few
  /// neighbours to show how large the terms were that cancelled in them.
  [[nodiscard]] Result<Expected> mirrored(std::size_t shape, std::span<const verify::Tensor> inputs,
                                          std::uint64_t seed);
  /// The longest that a call of this shape took so far.
  [[nodiscard]] std::chrono::nanoseconds longest(std::size_t shape) const {
    return longest_[shape];
  }

 private:
  ReferenceRun(Subject subject, std::vector<CallTensors> tensors, std::filesystem::path file,
               std::chrono::milliseconds limit)
      : subject_(std::move(subject)),
        tensors_(std::move(tensors)),
        longest_(tensors_.size()),
        file_(std::move(file)),
        name_(file_.filename().string()),
        limit_(limit) {}
  [[nodiscard]] Result<Expected> run(std::size_t shape, std::span<const verify::Tensor> wide);

  Subject subject_;
  std::vector<CallTensors> tensors_;
  std::vector<std::chrono::nanoseconds> longest_;
  std::filesystem::path file_;
  std::string name_;
  std::chrono::milliseconds limit_;
  Random random_{1};
};

}  // namespace hone::kernel
