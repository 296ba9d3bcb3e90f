#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/common/context.h"
#include "app/common/toolchain.h"
#include "app/profile/generated_folder.h"
#include "profile/generated.h"
#include "profile/operation.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone generate`: writes operations as MLIR files with tuning configurations.
void addGenerateCommand(CLI::App& app, Context& context);

/// Output folder and tuning configurations of generated files.
struct GenerateOptions {
  DispatchOptions dispatch;
  std::string configs;  ///< "": the default of the target

  void addTo(CLI::App& command, Context& context);
};

/// Writes the dispatches that match the filter below the folder: every operation with its
/// configurations. Passes one line per file and configuration to `report`, in the format of IREE's
/// dispatch profiler. Fails with a user error if nothing matches.
[[nodiscard]] Result<std::vector<profile::Generated>> generateAll(
    Toolchain& toolchain, const std::vector<profile::Operation>& operations,
    const GenerateOptions& options, const std::function<void(const std::string&)>& report);

}  // namespace hone::app
