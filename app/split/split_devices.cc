#include "app/split/split_devices.h"

#include <algorithm>

#include "base/text/text.h"
#include "iree/compile/toolchain/target.h"
#include "iree/run/device.h"

namespace hone::app {
namespace {

/// Returns the first target whose code the device can run.
Result<std::string> targetFor(const iree::Device& device, std::vector<std::string> targets) {
  for (const char* name : {"local", "vulkan"}) {
    targets.emplace_back(name);
  }
  for (const std::string& name : targets) {
    const iree::Target target = HONE_TRY(iree::targetFrom(trim(name)));
    if (std::ranges::find(target.devices, device.driver()) != target.devices.end()) {
      return target.name;
    }
  }
  return userError(
      "no target given for device '{}'; list one per kind of device, e.g. --target "
      "local,rocm:gfx942,cuda:sm_80",
      device.name);
}

Result<void> checkGroup(const DeviceGroup& group) {
  if (group.devices.size() == 1) {
    return {};
  }
  for (std::size_t i = 0; i < group.devices.size(); ++i) {
    const iree::Device device = iree::deviceNamed(group.devices[i]);
    if (std::count(group.devices.begin(), group.devices.end(), device.name) > 1) {
      return userError("--device: '{}' is given twice", device.name);
    }
    if (device.isLocal()) {
      return userError("--device: '{}' share the CPU of this machine; give one of them",
                       group.name());
    }
    if (device.name == device.driver()) {
      return userError(
          "--device: '{}' may be any of several devices; use its full name, such as {}://0",
          device.name, device.driver());
    }
  }
  return {};
}

}  // namespace

std::string DeviceGroup::driver() const { return iree::deviceNamed(devices.front()).driver(); }

std::string DeviceGroup::name() const { return join(devices, ","); }

Result<std::vector<DeviceGroup>> groupDevices(const std::string& devices,
                                              const std::string& targets) {
  const std::vector<std::string> names = splitAt(devices, ',');
  if (names.size() < 2) {
    return std::vector<DeviceGroup>{{targets, {devices}}};
  }
  std::vector<DeviceGroup> groups;
  for (const std::string& name : names) {
    const iree::Device device = iree::deviceNamed(std::string(trim(name)));
    const auto same = std::ranges::find_if(
        groups, [&](const DeviceGroup& group) { return group.driver() == device.driver(); });
    if (same != groups.end()) {
      same->devices.push_back(device.name);
    } else {
      groups.push_back({HONE_TRY(targetFor(device, splitAt(targets, ','))), {device.name}});
    }
  }
  for (const DeviceGroup& group : groups) {
    HONE_CHECK(checkGroup(group));
  }
  return groups;
}

}  // namespace hone::app
