#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "kernel/judge/judge.h"
#include "kernel/worker/worker.h"

namespace hone::kernel {

/// Something that runs in a worker: how that is started, and the request that loads it.
struct Runnable {
  WorkerCommand command;
  nlohmann::json load;

  /// Whether its kernel computes there; C++ always does.
  [[nodiscard]] bool onCpu() const { return load.value("device", "cpu") == "cpu"; }
};

/// A function of a shared object.
[[nodiscard]] Result<Runnable> cppRunnable(const JudgeOptions& options,
                                           const std::filesystem::path& library,
                                           const std::string& function);

/// How the Python worker is started; a user error where there is no Python.
[[nodiscard]] Result<WorkerCommand> pythonCommand(const JudgeOptions& options,
                                                  const std::filesystem::path& log);
/// A TileLang source of the task with this Python reference.
[[nodiscard]] Result<Runnable> tileLangRunnable(const JudgeOptions& options,
                                                const std::filesystem::path& source,
                                                const std::filesystem::path& reference);
/// A Python reference in "f64", or in "f32" as PyTorch has it.
[[nodiscard]] Result<Runnable> pytorchRunnable(const JudgeOptions& options,
                                               const std::filesystem::path& reference,
                                               const std::string& precision);

}  // namespace hone::kernel
