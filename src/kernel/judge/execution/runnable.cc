#include "kernel/judge/execution/runnable.h"

#include <atomic>

#include "base/machine.h"
#include "kernel/worker/python/python_fork_server.h"
#include "kernel/worker/runner_image.h"

namespace hone::kernel {
namespace {

/// Returns the scratch folder of the next worker. The folders are reused after 16 workers.
std::filesystem::path freshFolder(const JudgeOptions& options) {
  static std::atomic<unsigned> started = 0;
  return options.folder / fmt::format("worker-{}", ++started % 16);
}

WorkerCommand commandFor(const JudgeOptions& options, std::vector<std::string> argv,
                         std::filesystem::path folder) {
  const std::string threads = std::to_string(options.threads);
  return {std::move(argv),
          {{"OMP_NUM_THREADS", threads},
           {"OMP_THREAD_LIMIT", threads},
           {"OMP_DYNAMIC", "false"},
           {"OMP_WAIT_POLICY", "passive"},  // spinning threads would count as work
           {"GOMP_SPINCOUNT", "0"},
           {"MKL_NUM_THREADS", threads}},
          options.limits.memoryBytes,
          std::move(folder)};
}

}  // namespace

Result<Runnable> cppRunnable(const JudgeOptions& options, const std::filesystem::path& library,
                             const std::string& function) {
  const std::filesystem::path runner =
      options.runner.empty() ? HONE_TRY(installRunner(options.folder)) : options.runner;
  return Runnable{
      commandFor(options, {std::filesystem::absolute(runner).string()}, freshFolder(options)),
      {.role = function == "kernel" ? LoadRequest::Role::kernel : LoadRequest::Role::reference},
      CppFunction{std::filesystem::absolute(library).string(), function}};
}

Result<WorkerCommand> pythonCommand(const JudgeOptions& options,
                                    const std::filesystem::path& folder) {
  if (options.python.empty() || options.worker.empty()) {
    return userError("Python kernels and references need torch; run {} to install it",
                     installCommand("kernels"));
  }
  WorkerCommand command =
      commandFor(options, {options.python.string(), options.worker.string()}, folder);
  command.forkServer = HONE_TRY(PythonForkServer::of(options.python, options.worker));
  return command;
}

Result<Runnable> tileLangRunnable(const JudgeOptions& options, const std::filesystem::path& source,
                                  const std::filesystem::path& reference) {
  WorkerCommand command = HONE_TRY(pythonCommand(options, freshFolder(options)));
  command.tilelang = true;
  return Runnable{std::move(command),
                  {.role = LoadRequest::Role::kernel,
                   .source = source.string(),
                   .reference = reference.string(),
                   .device = options.device,
                   .threads = options.threads,
                   .seed = options.seed}};
}

Result<Runnable> pytorchRunnable(const JudgeOptions& options,
                                 const std::filesystem::path& reference,
                                 LoadRequest::Precision precision) {
  return Runnable{HONE_TRY(pythonCommand(options, freshFolder(options))),
                  {.role = LoadRequest::Role::reference,
                   .reference = reference.string(),
                   .precision = precision,
                   .device = precision == LoadRequest::Precision::f64 ? "cpu" : options.device,
                   .threads = options.threads,
                   .seed = options.seed}};
}

Result<Runnable> emptyPythonRunnable(const JudgeOptions& options) {
  return Runnable{
      HONE_TRY(pythonCommand(options, freshFolder(options))),
      {.role = LoadRequest::Role::empty, .device = options.device, .threads = options.threads}};
}

}  // namespace hone::kernel
