#include "app/common/toolchain.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/file.h"
#include "base/machine.h"
#include "store/progress_file.h"

namespace hone::app {
namespace {

/// Clamps to at least 1 ms, because 0 means no limit, and at most a year, which fits every clock.
std::chrono::milliseconds milliseconds(double seconds) {
  constexpr double kYear = 365.0 * 24 * 3600;
  const double wanted = std::clamp(seconds, 0.001, kYear) * 1000;
  return std::chrono::milliseconds(std::llround(wanted));
}

}  // namespace

void ToolchainOptions::addTo(CLI::App& command) {
  addCompileOptionsTo(command);
  command.add_option("--device", device,
                     "Device to run on: local-sync (one thread), local-task (all cores), vulkan, "
                     "hip://0, … (default: by target)");
  command.add_option("--run-timeout", runSeconds, "Timeout of one measuring process")
      ->type_name("SECONDS")
      ->check(CLI::Range(1e-3, 1e7))
      ->capture_default_str();
}

void ToolchainOptions::addCompileOptionsTo(CLI::App& command) {
  command
      .add_option("--target", target,
                  "Target to compile for: local (this CPU), vulkan, rocm:gfx942, cuda:sm_80, …")
      ->capture_default_str();
  command.add_option("--compile-timeout", compileSeconds, "Timeout of one compile")
      ->type_name("SECONDS")
      ->check(CLI::Range(1e-3, 1e7))
      ->capture_default_str();
}

Result<Toolchain> Toolchain::start(const Context& context, const ToolchainOptions& options) {
  iree::Target target = HONE_TRY(iree::targetFrom(options.target));
  iree::Installation installation = HONE_TRY(iree::findInstallation(context.ireeFolder));
  std::optional<iree::Device> device;
  if (options.runsElsewhere) {
    device = HONE_TRY(iree::fittingDevice(target, options.device));
  } else {
    device = HONE_TRY(iree::chooseDevice(installation, target, options.device));
  }
  const std::size_t workers =
      options.compilers == 0 ? cpuCount() : std::min(options.compilers, cpuCount());
  // All compiles together get half of the memory; the other half is for measurements.
  const std::uint64_t diskBytes = diskLimit(temporaryFolder());
  const Limits compileLimits{milliseconds(options.compileSeconds), memoryBytes() / 2 / workers,
                             diskBytes};
  Limits runLimits{milliseconds(options.runSeconds), 0, diskBytes};
  if (device && device->isLocal()) {
    runLimits.memoryBytes = memoryBytes() / 2;  // GPU drivers map far more than they use
  }
  auto pool = HONE_TRY(iree::CompilePool::start({installation.compilerLibrary(), workers, {}}));
  const auto artifacts =
      options.artifacts.empty() ? HONE_TRY(cacheFolder()) / "artifacts" : options.artifacts;
  iree::Compiler compiler(std::move(pool), iree::ArtifactCache(artifacts), compileLimits);
  return Toolchain{std::move(installation), std::move(target), std::move(device),
                   std::move(compiler), runLimits};
}

store::Run describeCommand(const Context& context, std::string_view command) {
  store::Run run;
  run.command = command;
  run.arguments = context.arguments;
  run.workingFolder = std::filesystem::current_path().string();
  run.startedAt = utcNow();
  run.honeVersion = HONE_VERSION;
  run.host = hostName();
  run.cpu = cpuName();
  return run;
}

store::Run describeRun(const Context& context, const Toolchain& toolchain,
                       std::string_view command) {
  store::Run run = describeCommand(context, command);
  run.compilerRevision = toolchain.compiler.revision();
  run.target = toolchain.target.name;
  run.device = toolchain.device ? toolchain.device->name : "";
  return run;
}

Result<std::int64_t> findOrAddRun(const Context& context, store::Store& store,
                                  const store::Run& run, Progress& progress) {
  if (context.resumed && store.isInUse(*context.resumed)) {
    return userError("cannot resume run {}: another hone is working on it", *context.resumed);
  }
  const auto before = HONE_TRY(store.unfinishedRun(run.key));
  if (context.resumed && (!before || before->id != *context.resumed)) {
    return userError(
        "cannot resume run {}: its program, configs, compiler or device changed; rerun its command "
        "to start a new run",
        *context.resumed);
  }
  if (before) {
    progress.say(fmt::format("resuming run {} from {}", before->id, before->startedAt));
  }
  const std::int64_t id = before ? before->id : HONE_TRY(store.addRun(run));
  progress.watch(std::make_unique<store::ProgressFile>(context.store, id));
  return id;
}

}  // namespace hone::app
