#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace hone::app {

/// Devices of one driver, which share the shapes of a sweep, and the target to compile for.
struct DeviceGroup {
  std::string target;
  std::vector<std::string> devices;  ///< {""}: the default of the target

  /// Returns the driver, as used in names of folders: "hip".
  [[nodiscard]] std::string driver() const;
  /// Returns the devices as given on the command line: "hip://0,hip://1".
  [[nodiscard]] std::string name() const;
};

/// Groups the devices of --device by driver. With several devices, --target may list several
/// targets; the first that a driver can run is that of its group. CPU and Vulkan devices have a
/// default target.
///
/// Fails with a user error if a device has no target or is given twice, or if CPU devices would
/// share the shapes.
[[nodiscard]] Result<std::vector<DeviceGroup>> groupDevices(const std::string& devices,
                                                            const std::string& targets);

}  // namespace hone::app
