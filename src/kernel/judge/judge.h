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
#include "kernel/judge/judge_result.h"
#include "kernel/judge/task/task.h"
#include "kernel/source/source.h"
#include "model/result/sample.h"

namespace hone::kernel {

struct JudgeOptions {
  std::filesystem::path folder;  ///< scratch files and built libraries
  std::filesystem::path runner;  ///< program that runs C++ kernels; "": hone's own
  std::filesystem::path python;  ///< interpreter of the Python worker; "": no Python
  std::filesystem::path worker;  ///< python/hone_kernel_worker.py
  std::string device = "cpu";    ///< "cpu" or "cuda"
  int threads = 1;
  std::uint64_t seed = 1;
  std::size_t inputSets = 8;  ///< number of input sets for the task's own shape
  Limits limits{std::chrono::seconds(60), std::uint64_t{4} << 30U};
};

/// A timeable implementation: a source that passed, or the PyTorch reference.
struct Implementation {
  const Source* source = nullptr;  ///< null: the PyTorch reference
};

/// Judges the kernels of one task. Kernels run in untrusted child processes that are frozen except
/// during calls. This process writes new inputs for every call, reads the child's clocks, and
/// compares the outputs with a reference computed in f64 in another process.
class Judge {
 public:
  [[nodiscard]] static Result<Judge> open(Task task, JudgeOptions options);
  Judge(Judge&&) noexcept;
  Judge& operator=(Judge&&) noexcept;
  ~Judge();

  [[nodiscard]] const Task& task() const;
  [[nodiscard]] bool hasPyTorch() const;

  /// Scans the source for cheats, builds it, verifies it on every set of inputs, and takes
  /// screening samples. `salt` makes the inputs differ from those of other trials. Returns an error
  /// only if the judge itself fails; a failing kernel is a value. Takes the machine lock for
  /// compiling and for measuring: the caller must hold neither.
  [[nodiscard]] Result<JudgeResult> judge(const Source& source, std::uint64_t salt);

  /// Takes the samples of one round in a new, warmed-up process and verifies the outputs again. The
  /// caller must hold the machine lock for measuring.
  [[nodiscard]] Result<JudgeResult> measure(const Implementation& implementation,
                                            model::Stage stage, std::int64_t round,
                                            std::int64_t position);

 private:
  struct State;
  explicit Judge(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Returns the reference for a kernel file: `given` if not empty, otherwise NAME.reference.cc,
/// NAME.reference.py, reference.cc or reference.py next to the kernel.
[[nodiscard]] Result<std::filesystem::path> findReference(const std::filesystem::path& kernel,
                                                          const std::filesystem::path& given);

/// Reads a reference. Python references are loaded in the Python worker, which needs torch.
[[nodiscard]] Result<Task> readTask(const std::filesystem::path& reference,
                                    const JudgeOptions& options);

}  // namespace hone::kernel
