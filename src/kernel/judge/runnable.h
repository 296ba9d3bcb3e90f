#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "kernel/judge/judge.h"
#include "kernel/worker/worker.h"

namespace hone::kernel {

/// Code that runs in a worker: the command that starts the worker and the request that loads the
/// code.
struct Runnable {
  WorkerCommand command;
  nlohmann::json load;

  /// Returns true if it computes on the CPU; always true for C++.
  [[nodiscard]] bool onCpu() const { return load.value("device", "cpu") == "cpu"; }
};

/// Creates a runnable for a function of a shared object.
[[nodiscard]] Result<Runnable> cppRunnable(const JudgeOptions& options,
                                           const std::filesystem::path& library,
                                           const std::string& function);

/// Returns the command that starts the Python worker; fails with a user error if Python is missing.
[[nodiscard]] Result<WorkerCommand> pythonCommand(const JudgeOptions& options,
                                                  const std::filesystem::path& log);
/// Creates a runnable for a TileLang source of the task with this Python reference.
[[nodiscard]] Result<Runnable> tileLangRunnable(const JudgeOptions& options,
                                                const std::filesystem::path& source,
                                                const std::filesystem::path& reference);
/// Creates a runnable for a Python reference in "f64", or in "f32" as PyTorch runs it.
[[nodiscard]] Result<Runnable> pytorchRunnable(const JudgeOptions& options,
                                               const std::filesystem::path& reference,
                                               const std::string& precision);

}  // namespace hone::kernel
