#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "app/common/context.h"
#include "base/error.h"
#include "base/progress.h"
#include "iree/compile/compiler.h"
#include "iree/compile/installation.h"
#include "iree/compile/target.h"
#include "iree/run/device.h"
#include "iree/run/execution.h"
#include "store/store.h"

namespace CLI {
class App;
}

namespace hone::app {

/// The options of every verb that compiles and runs.
struct ToolchainOptions {
  std::string target = "local";
  bool targetGiven = false;  ///< by the user; what was generated knows its own
  std::string device;
  double compileSeconds = 120;
  double runSeconds = 60;
  bool runsElsewhere = false;       ///< the device is that of other machines
  std::filesystem::path artifacts;  ///< where compiled modules are kept; "": the user's own cache
  std::size_t compilers = 0;        ///< that work at a time; 0: one for each CPU

  void addTo(CLI::App& verb);
};

/// The compiler and the device that a verb works with. The compile pool forks while there is one
/// thread: set up before anything else starts any.
struct Toolchain {
  iree::Installation installation;
  iree::Target target;
  std::optional<iree::Device> device;  ///< nothing: the target is compile-only here
  iree::Compiler compiler;
  Limits runLimits;

  [[nodiscard]] static Result<Toolchain> start(const Context& context,
                                               const ToolchainOptions& options);
  [[nodiscard]] iree::ModuleRunner runner() const { return {installation, *device, runLimits}; }
};

/// A new run's record with what describes this machine and this command filled in.
[[nodiscard]] store::Run describeCommand(const Context& context, std::string_view verb);

/// The same with the compiler, the target and the device.
[[nodiscard]] store::Run describeRun(const Context& context, const Toolchain& toolchain,
                                     std::string_view verb);

/// The unfinished run of the same key, or this one, newly added; from here on whoever looks on can
/// see its progress. A run that the user wants to resume but whose key has changed is a user error.
[[nodiscard]] Result<std::int64_t> findOrAddRun(const Context& context, store::Store& store,
                                                const store::Run& run, Progress& progress);

}  // namespace hone::app
