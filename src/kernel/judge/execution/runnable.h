#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "kernel/judge/judge.h"
#include "kernel/worker/worker.h"

namespace hone::kernel {

/// Code that runs in a separate process: the command that starts the process and the code to load,
/// which for Python is a request.
struct Runnable {
  WorkerCommand command;
  nlohmann::json load;

  /// Returns true if it computes on the CPU; always true for C++.
  [[nodiscard]] bool onCpu() const { return load.value("device", "cpu") == "cpu"; }
  [[nodiscard]] bool isCpp() const { return load.contains("library"); }
  /// Returns true for untrusted code.
  [[nodiscard]] bool isKernel() const { return load.value("role", "") == "kernel"; }
  /// Returns true if it is called by freezing and resuming its process; false for an f64 reference
  /// in Python, which also creates inputs on request.
  [[nodiscard]] bool serves() const { return isCpp() || load.value("precision", "") != "f64"; }
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
/// Creates a runnable for a Python reference in "f64", or in "f32" as PyTorch runs it.
[[nodiscard]] Result<Runnable> pytorchRunnable(const JudgeOptions& options,
                                               const std::filesystem::path& reference,
                                               const std::string& precision);

/// Creates a runnable that returns tensors without computing them, to measure the overhead of
/// Python.
[[nodiscard]] Result<Runnable> emptyPythonRunnable(const JudgeOptions& options);

}  // namespace hone::kernel
