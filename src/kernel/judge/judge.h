#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/process/subprocess.h"
#include "kernel/judge/judged.h"
#include "kernel/judge/task/task.h"
#include "kernel/source/source.h"
#include "model/result/sample.h"

namespace hone::kernel {

struct JudgeOptions {
  std::filesystem::path folder;   ///< for scratch files, and for what was built
  std::filesystem::path program;  ///< hone itself, the C++ worker; "": the program that runs
  std::filesystem::path python;   ///< the interpreter of the Python worker; "" where there is none
  std::filesystem::path worker;   ///< python/hone_kernel_worker.py
  std::string device = "cpu";     ///< "cpu", or "cuda" where there is one
  int threads = 1;
  std::uint64_t seed = 1;
  std::size_t inputSets = 3;  ///< of the task's own shape; more for special values and others
  Limits limits{std::chrono::seconds(60), std::uint64_t{4} << 30U};
};

/// One that can be timed: a source that passed, or PyTorch's reference.
struct Contestant {
  const Source* source = nullptr;  ///< null: PyTorch's reference
};

/// Judges kernels of one task, in children that it trusts in nothing: time is what this process
/// reads off the clocks of the child, outputs are compared here with a reference that was computed
/// elsewhere in f64, and inputs are fresh in every trial.
class Judge {
 public:
  [[nodiscard]] static Result<Judge> open(Task task, JudgeOptions options);
  Judge(Judge&&) noexcept;
  Judge& operator=(Judge&&) noexcept;
  ~Judge();

  [[nodiscard]] const Task& task() const;
  [[nodiscard]] bool hasPyTorch() const;

  /// Read for what cheats do, built, run on every set of inputs, compared, and timed for a first
  /// look. `salt` makes its inputs other ones than those of any other trial. An error means that
  /// the judge itself cannot work; all that a kernel does is a value. Enters the lanes for
  /// compiling and for measuring: the caller must be in neither.
  [[nodiscard]] Result<Judged> judge(const Source& source, std::uint64_t salt);

  /// One process of a contestant that passed, fresh, warmed up: a few samples of one round. What it
  /// computes is checked once more. Does not enter the lane: who measures side by side has done so.
  [[nodiscard]] Result<Judged> measure(const Contestant& contestant, model::Stage stage,
                                       std::int64_t round, std::int64_t position);

 private:
  struct State;
  explicit Judge(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The task that the kernel file is for: its reference beside it (NAME.reference.cc,
/// NAME.reference.py, or reference.cc and reference.py in its folder), or the one given.
[[nodiscard]] Result<std::filesystem::path> findReference(const std::filesystem::path& kernel,
                                                          const std::filesystem::path& given);

/// Reads a reference; a Python one is asked in the worker, so it needs torch.
[[nodiscard]] Result<Task> readTask(const std::filesystem::path& reference,
                                    const JudgeOptions& options);

}  // namespace hone::kernel
