#include "app/kernel/kernel.h"

#include <CLI/CLI.hpp>

#include "app/kernel/kernel_examples.h"
#include "app/kernel/kernel_list.h"
#include "app/kernel/kernel_new.h"
#include "app/kernel/kernel_optimize.h"
#include "app/kernel/kernel_redteam.h"

namespace hone::app {

void addKernelCommand(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("kernel", "Optimize C++ and TileLang kernels");
  command->require_subcommand(1);
  command->fallthrough();
  addKernelListCommand(*command, context);
  addKernelNewCommand(*command, context);
  addKernelOptimizeCommand(*command, context);
  addKernelExamplesCommand(*command, context);
  addKernelRedTeamCommand(*command, context);
  command->footer(
      "Examples:\n"
      "  hone kernel list-slow examples/kernels\n"
      "  hone kernel new --reference softmax.reference.cc\n"
      "  hone kernel optimize --kernel examples/kernels/cpp/softmax.cc\n"
      "  hone kernel examples packing\n"
      "  hone kernel redteam");
}

}  // namespace hone::app
