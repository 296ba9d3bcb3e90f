#include "iree/run/device.h"

#include <algorithm>

#include "base/process/subprocess.h"
#include "base/text/text.h"

namespace hone::iree {
namespace {

constexpr std::chrono::seconds kListTime{20};

/// Returns true if `found` satisfies the request: "vulkan" accepts any device of the driver,
/// "vulkan://GPU-…" only that one.
bool matchesDevice(const Device& device, const std::string& found) {
  return found == device.name ||
         (device.name == device.driver() && deviceNamed(found).driver() == device.driver());
}

}  // namespace

std::string Device::driver() const { return name.substr(0, name.find("://")); }

bool Device::isLocal() const { return driver().starts_with("local-"); }

Device deviceNamed(std::string name) {
  Device device{std::move(name), RankBy::wall};
  if (device.driver() == "local-sync") {
    device.rankBy = RankBy::cpu;
  }
  return device;
}

Result<std::vector<std::string>> listDevices(const Installation& installation) {
  Command command;
  command.argv = {installation.runtimeTool("iree-run-module").string(), "--list_devices"};
  command.limits.wall = kListTime;
  command.inherit = Inherit::harmless;
  const Finished finished = HONE_TRY(runCommand(command));
  if (!finished.ending.ok()) {
    return machineError("iree-run-module --list_devices failed ({})", finished.ending.describe());
  }
  std::vector<std::string> devices;
  for (const std::string& line : splitAt(finished.out, '\n')) {
    if (!trim(line).empty()) {
      devices.emplace_back(trim(line));
    }
  }
  return devices;
}

Result<bool> isPresent(const Installation& installation, const Device& device) {
  if (device.isLocal()) {
    return true;
  }
  const std::vector<std::string> found = HONE_TRY(listDevices(installation));
  return std::any_of(found.begin(), found.end(),
                     [&](const std::string& name) { return matchesDevice(device, name); });
}

Result<Device> fittingDevice(const Target& target, const std::string& wanted) {
  Device device = deviceNamed(wanted.empty() ? target.devices.front() : wanted);
  const auto& fitting = target.devices;
  if (std::find(fitting.begin(), fitting.end(), device.driver()) == fitting.end()) {
    return userError("device '{}' cannot run code for target '{}'; expected one of: {}",
                     device.name, target.name, join(fitting, ", "));
  }
  return device;
}

Result<std::optional<Device>> chooseDevice(const Installation& installation, const Target& target,
                                           const std::string& wanted) {
  Device device = HONE_TRY(fittingDevice(target, wanted));
  if (device.isLocal()) {
    return device;
  }
  const std::vector<std::string> found = HONE_TRY(listDevices(installation));
  for (const std::string& name : found) {
    if (matchesDevice(device, name)) {
      return device;
    }
  }
  if (wanted.contains("://")) {
    return userError("no device '{}' found; available: {}", wanted, join(found, ", "));
  }
  return std::nullopt;
}

}  // namespace hone::iree
