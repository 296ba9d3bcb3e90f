#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"
#include "kernel/judge/judge.h"
#include "kernel/worker/python/worker_requests.h"
#include "kernel/worker/worker_process.h"

namespace hone::kernel {

/// A function of a shared object.
struct CppFunction {
  std::string library;  ///< absolute path
  std::string function;
};

/// Code that runs in a separate process: the command that starts the process and the code to load.
struct Runnable {
  WorkerCommand command;
  LoadRequest load;                               ///< C++: only the role
  std::optional<CppFunction> cpp = std::nullopt;  ///< nothing for Python

  /// Returns true if it computes on the CPU; always true for C++.
  [[nodiscard]] bool onCpu() const { return load.device == "cpu"; }
  [[nodiscard]] bool isCpp() const { return cpp.has_value(); }
  /// Returns true for untrusted code.
  [[nodiscard]] bool isKernel() const { return load.role == LoadRequest::Role::kernel; }
  /// Returns true if it is called by freezing and resuming its process; false for an f64 reference
  /// in Python, which also creates inputs on request.
  [[nodiscard]] bool serves() const {
    return isCpp() || load.precision != LoadRequest::Precision::f64;
  }
};

/// Creates a runnable for a function of a shared object.
[[nodiscard]] Result<Runnable> cppRunnable(const JudgeOptions& options,
                                           const std::filesystem::path& library,
                                           const std::string& function);

/// Returns the command that starts the Python worker; fails with a user error if Python is missing.
[[nodiscard]] Result<WorkerCommand> pythonCommand(const JudgeOptions& options,
                                                  const std::filesystem::path& folder);
/// Creates a runnable for a TileLang source of the task with this Python reference.
[[nodiscard]] Result<Runnable> tileLangRunnable(const JudgeOptions& options,
                                                const std::filesystem::path& source,
                                                const std::filesystem::path& reference);
/// Creates a runnable for a Python reference in f64, or in f32 as PyTorch runs it.
[[nodiscard]] Result<Runnable> pytorchRunnable(const JudgeOptions& options,
                                               const std::filesystem::path& reference,
                                               LoadRequest::Precision precision);

/// Creates a runnable that returns tensors without computing them, to measure the overhead of
/// Python.
[[nodiscard]] Result<Runnable> emptyPythonRunnable(const JudgeOptions& options);

}  // namespace hone::kernel
