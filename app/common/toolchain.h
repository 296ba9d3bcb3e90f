#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "app/common/context.h"
#include "base/error.h"
#include "base/progress.h"
#include "iree/compile/compiler.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/compile/toolchain/target.h"
#include "iree/run/device.h"
#include "iree/run/execution.h"
#include "store/store.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Options of every command that compiles and measures.
struct ToolchainOptions {
  std::string target = "local";
  bool targetGiven = false;  ///< by the user; generated folders record their target
  std::string device;
  double compileSeconds = 120;
  double runSeconds = 60;
  bool runsElsewhere = false;       ///< the device is on other machines
  std::filesystem::path artifacts;  ///< folder of compiled modules; "": the user's cache
  std::size_t compilers = 0;        ///< concurrent compiles; 0: one per CPU

  void addTo(CLI::App& command);
  /// Adds the options of a command that runs nothing.
  void addCompileOptionsTo(CLI::App& command);
};

/// The compiler and the device of a command. The compile pool forks, so start the toolchain before
/// any thread.
struct Toolchain {
  iree::Installation installation;
  iree::Target target;
  std::optional<iree::Device> device;  ///< nullopt: no device on this machine
  iree::Compiler compiler;
  Limits runLimits;

  [[nodiscard]] static Result<Toolchain> start(const Context& context,
                                               const ToolchainOptions& options);
  [[nodiscard]] iree::ModuleRunner runner() const { return {installation, *device, runLimits}; }
};

/// Returns a new run record that describes this machine and this command.
[[nodiscard]] store::Run describeCommand(const Context& context, std::string_view command);

/// Like describeCommand(), with the compiler, the target and the device.
[[nodiscard]] store::Run describeRun(const Context& context, const Toolchain& toolchain,
                                     std::string_view command);

/// Returns the unfinished run with the same key, or adds `run`, and publishes its progress to
/// `hone serve`. Fails with a user error if the run to resume has another key.
[[nodiscard]] Result<std::int64_t> findOrAddRun(const Context& context, store::Store& store,
                                                const store::Run& run, Progress& progress);

}  // namespace hone::app
