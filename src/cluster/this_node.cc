#include "cluster/this_node.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/file.h"
#include "base/machine.h"
#include "base/process/subprocess.h"
#include "base/text/text.h"

namespace hone::cluster {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Returns the version of the GPU driver if available, otherwise that of the kernel.
std::string driverVersion() {
  constexpr std::array<std::pair<const char*, const char*>, 2> kFiles = {
      std::pair("/sys/module/nvidia/version", "nvidia"),
      std::pair("/sys/module/amdgpu/version", "amdgpu")};
  for (const auto& [file, name] : kFiles) {
    if (const auto text = readFile(file)) {
      return fmt::format("{} {}", name, trim(*text));
    }
  }
  utsname system{};
  return ::uname(&system) == 0 ? fmt::format("{} {}", static_cast<const char*>(system.sysname),
                                             static_cast<const char*>(system.release))
                               : "";
}

/// Returns the driver's name of its first device; "" if unknown.
std::string queryDeviceName(const iree::Device& device, const iree::Installation& installation) {
  Command command;
  command.argv = {installation.runtimeTool("iree-run-module").string(),
                  fmt::format("--dump_devices={}", device.driver())};
  command.limits.wall = std::chrono::seconds(20);
  const auto finished = runCommand(command);
  if (!finished || !finished->ending.ok()) {
    return "";
  }
  return parseDeviceName(finished->out);
}

}  // namespace

std::string parseDeviceName(std::string_view dump) {
  bool below = false;
  for (const std::string& line : splitAt(dump, '\n')) {
    if (below) {
      return std::string(trim(line.substr(std::min(line.size(), line.find_first_not_of("# ")))));
    }
    below = line.starts_with("# --device=");
  }
  return "";
}

std::string nodeName() {
  const std::string name = variable("SLURMD_NODENAME");
  return name.empty() ? hostName() : name;
}

store::Node cpuNode() { return {nodeName(), cpuName(), "", driverVersion()}; }

store::Node nodeFor(const iree::Device& device, const iree::Installation& installation) {
  store::Node node = cpuNode();
  if (device.isLocal()) {
    return node;
  }
  node.device = fmt::format("{} {}", device.driver(), queryDeviceName(device, installation));
  return node;
}

std::string workerName() {
  const std::string array = variable("SLURM_ARRAY_JOB_ID");
  return array.empty() ? fmt::format("{}-{}", hostName(), ::getpid())
                       : fmt::format("{}_{}", array, variable("SLURM_ARRAY_TASK_ID"));
}

}  // namespace hone::cluster
