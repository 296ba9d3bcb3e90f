#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernel/judge/execution/runnable.h"
#include "kernel/judge/input/call_tensors.h"
#include "kernel/judge/judge_result.h"
#include "kernel/worker/counters.h"
#include "kernel/worker/runner/control_page.h"
#include "kernel/worker/shared_page.h"
#include "kernel/worker/supervised_process.h"
#include "kernel/worker/worker.h"

namespace hone::kernel {

/// Time of one call, from resuming the kernel's process until it is frozen again.
struct CallTime {
  double wallNs = 0;
  double cpuNs = 0;
};

/// Returns the wall time of a kernel that may use `threads` threads, raised to cpuNs / threads.
/// Extra threads therefore gain nothing.
[[nodiscard]] double fairWallNs(const CallTime& time, int threads);

/// A runnable in a new process, with its tensors, ready to be called. The process is frozen except
/// during calls; only the f64 reference in Python, which is trusted, is not. Failures of the kernel
/// are recorded in a JudgeResult; an error is an interrupt or a machine error.
class RunningKernel {
 public:
  /// Starts a process and loads the runnable. Returns nullopt if loading fails; `judged` says why.
  [[nodiscard]] static Result<std::optional<RunningKernel>> start(
      const Runnable& runnable, std::span<const CallTensors* const> tensors,
      std::chrono::milliseconds limit, JudgeResult& judged);

  /// Calls the kernel. Returns false if the call fails; `judged` says why.
  [[nodiscard]] Result<bool> call(const CallTensors& tensors, std::chrono::milliseconds limit,
                                  JudgeResult& judged);
  /// Makes a Python process fill the inputs with those that the reference file creates for this
  /// seed.
  [[nodiscard]] Result<bool> make(const CallTensors& tensors,
                                  const std::filesystem::path& reference, std::uint64_t seed,
                                  std::chrono::milliseconds limit, JudgeResult& judged);
  /// Times one call. Returns nullopt if it fails.
  [[nodiscard]] Result<std::optional<CallTime>> time(const CallTensors& tensors,
                                                     std::chrono::milliseconds limit,
                                                     JudgeResult& judged);
  /// Watches another call of a Python kernel on the current inputs, because it may count calls, and
  /// looks for changes to its process. Returns false if the kernel lets torch do the work, or
  /// changed its process.
  [[nodiscard]] Result<bool> watch(const CallTensors& tensors, std::chrono::milliseconds limit,
                                   JudgeResult& judged);

  [[nodiscard]] bool isUntrusted() const { return isUntrusted_; }
  /// Binds the process to one CPU.
  void pinTo(int cpu) const { process().pinTo(cpu); }
  /// Enables event counters for the kernel's thread. C++ only: the thread of a Python process runs
  /// more than the kernel.
  void countEvents();
  /// Starts counting; does nothing without counters.
  void startCounting() const;
  /// Stops counting and returns the counts of processorEvents(); empty without counters.
  [[nodiscard]] std::vector<double> stopCounting() const;
  /// Describes threads left behind by a kernel that may use only one; "" if there are none.
  [[nodiscard]] std::string detectLeftThreads(int allowed) const;

 private:
  RunningKernel(const Runnable& runnable, SharedPage<ControlPage> control,
                SharedPage<StatusPage> status)
      : control_(std::move(control)),
        status_(std::move(status)),
        isUntrusted_(runnable.onCpu() && runnable.isKernel()),
        isKernel_(runnable.isKernel()),
        onCpu_(runnable.onCpu()) {}
  [[nodiscard]] Result<bool> startCpp(const Runnable& runnable,
                                      std::span<const CallTensors* const> tensors,
                                      std::chrono::milliseconds limit, JudgeResult& judged);
  [[nodiscard]] Result<bool> startPython(const Runnable& runnable,
                                         std::span<const CallTensors* const> tensors,
                                         std::chrono::milliseconds limit, JudgeResult& judged);
  [[nodiscard]] SupervisedProcess& process() { return worker_ ? worker_->process() : *process_; }
  [[nodiscard]] const SupervisedProcess& process() const {
    return worker_ ? worker_->process() : *process_;
  }
  /// Returns the pages for a new process.
  [[nodiscard]] WorkerPages pages();
  /// Resumes the process for one step of a call. Returns nullopt if it fails.
  [[nodiscard]] Result<std::optional<CallTime>> resume(const CallTensors& tensors, Step step,
                                                       std::chrono::milliseconds limit,
                                                       JudgeResult& judged);
  /// Returns true if the process is frozen; otherwise records the failure.
  [[nodiscard]] bool accept(const Interval& interval, JudgeResult& judged) const;
  [[nodiscard]] Result<bool> accept(const Reply& reply, JudgeResult& judged) const;
  [[nodiscard]] std::string describeFault() const;
  /// Returns the end of the process's output.
  [[nodiscard]] std::string log() const { return worker_ ? worker_->log() : readLog(log_); }

  struct NamedTensor {
    std::string name;
    bool isInput = false;
  };

  SharedPage<ControlPage> control_;
  SharedPage<StatusPage> status_;
  std::optional<SupervisedProcess> process_;  ///< C++ only
  std::optional<Worker> worker_;              ///< Python only
  std::optional<Counters> counters_;
  std::vector<std::string> calls_;  ///< labels of the tensors, in the order of the process's calls
  std::vector<NamedTensor> tensors_;  ///< for messages about faults
  std::string function_;              ///< C++ only
  Descriptor log_;                    ///< C++ only
  bool serves_ = false;               ///< is called by freezing and resuming
  bool isUntrusted_;  ///< false for PyTorch and for GPU kernels, whose driver uses CPU time
  bool isKernel_;
  bool onCpu_;
};

}  // namespace hone::kernel
