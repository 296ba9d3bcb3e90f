#include "app/kernel/kernel_worker.h"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "kernel/worker/worker_child.h"

namespace hone::app {

void addKernelWorkerCommand(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("kernel-worker", "Run a kernel for the judge");
  command->group("");  // not in --help
  command->callback([&context] {
    context.action = []() -> Result<int> {
      if (::fcntl(3, F_GETFD) < 0 || ::fcntl(4, F_GETFD) < 0) {
        return userError("kernel-worker is internal: only hone starts it");
      }
      // Skip exit handlers: the kernel may have registered or corrupted some.
      const int code = kernel::serveKernels();
      std::fflush(nullptr);
      ::_exit(code);
    };
  });
}

}  // namespace hone::app
