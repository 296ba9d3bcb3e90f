#include "app/split/split_command.h"

#include "app/common/open_executor.h"
#include "base/hash.h"
#include "base/text/text.h"
#include "cluster/device_executor.h"

namespace hone::app {
namespace {

using split::SweepProblem;

std::string runKey(const Toolchain& toolchain, const SplitOptions& options, std::string_view mode,
                   const std::vector<SweepProblem>& problems, const std::string& executor) {
  Hasher hasher;
  hasher.field("split")
      .field(mode)
      .field(toolchain.compiler.revision())
      .field(deviceNames(toolchain, options));
  hasher.field(options.limits).field(options.budget).field(std::to_string(options.seed));
  for (const std::string& flag : toolchain.target.flags) {
    hasher.field(flag);
  }
  for (const SweepProblem& problem : problems) {
    hasher.field(nameOf(problem.problem)).field(problem.arguments);
  }
  if (executor != "local") {
    hasher.field(executor);
  }
  return hasher.hex();
}

/// Returns runners for the devices after the first.
Result<std::vector<iree::ModuleRunner>> otherRunners(const Toolchain& toolchain,
                                                     const SplitOptions& options) {
  std::vector<iree::ModuleRunner> others;
  for (std::size_t i = 1; i < options.devices.size(); ++i) {
    const auto device =
        HONE_TRY(iree::chooseDevice(toolchain.installation, toolchain.target, options.devices[i]));
    others.emplace_back(toolchain.installation, device.value_or(*toolchain.device),
                        toolchain.runLimits);
  }
  return others;
}

}  // namespace

std::string deviceNames(const Toolchain& toolchain, const SplitOptions& options) {
  return options.devices.size() > 1 ? join(options.devices, ",") : toolchain.device->name;
}

Result<std::unique_ptr<SplitCommand>> startCommand(const Context& context,
                                                   const SplitOptions& options,
                                                   std::string_view mode,
                                                   const std::vector<SweepProblem>& problems,
                                                   Progress& progress) {
  const cluster::Options clusterOptions = HONE_TRY(options.cluster.resolve());
  if (clusterOptions.usesCluster() && options.devices.size() > 1) {
    return userError("--device: the nodes of a cluster share the shapes; give one {} device",
                     iree::deviceNamed(options.devices.front()).driver());
  }
  ToolchainOptions toolchainOptions = commandToolchain(options.toolchain, clusterOptions);
  if (toolchainOptions.device.empty() && toolchainOptions.target == "local") {
    toolchainOptions.device = "local-task";  // splits gain parallelism
  }
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, toolchainOptions));
  if (!toolchain.device) {
    return userError(
        "no {} device found; measure on a machine that has one, then run hone split analyze on the "
        "results",
        toolchain.target.name);
  }
  auto store = HONE_TRY(store::Store::open(context.store, store::Store::Mode::write));
  store::Run described = describeRun(context, toolchain, "split");
  described.device = deviceNames(toolchain, options);
  described.key = runKey(toolchain, options, mode, problems, clusterOptions.executor);
  described.seed = options.seed;
  const std::int64_t run = HONE_TRY(findOrAddRun(context, store, described, progress));
  ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-split"));
  auto command = std::make_unique<SplitCommand>(std::move(toolchain), std::move(store), run,
                                                std::move(scratch), progress);
  command->others = HONE_TRY(otherRunners(command->toolchain, options));
  if (!command->others.empty()) {
    command->executor =
        std::make_unique<cluster::DeviceExecutor>(command->store, run, options.devices.size());
    return command;
  }
  command->executor = HONE_TRY(openExecutor(
      clusterOptions, {.toolchain = toolchainSetup(command->toolchain, toolchainOptions)},
      {command->store, context.store, run, progress}));
  return command;
}

}  // namespace hone::app
