#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/common/context.h"
#include "app/common/toolchain.h"
#include "profile/generated.h"
#include "profile/operation.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Adds `hone generate`: operations as MLIR files, with their tuning configurations.
void addGenerateVerb(CLI::App& app, Context& context);

/// Where generated files go and which configurations they have.
struct GenerateOptions {
  std::string folder = ".";
  std::string configs;  ///< "": as is usual for the target

  void addTo(CLI::App& verb);
};

/// Writes every operation with its configurations below the folder; `told` gets a line for each,
/// as IREE's dispatch profiler prints them.
[[nodiscard]] Result<std::vector<profile::Generated>> generateAll(
    Toolchain& toolchain, const std::vector<profile::Operation>& operations,
    const GenerateOptions& options, const std::function<void(const std::string&)>& told);

}  // namespace hone::app
