#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/compile/toolchain/target.h"

namespace hone::iree {

/// The clock that ranks candidates on a device. The synchronous CPU device uses one thread, and its
/// CPU time is robust against other load. Parallel and GPU devices are ranked by wall time.
enum class RankBy : std::uint8_t { cpu, wall };

/// A device of IREE's runtime.
struct Device {
  std::string name;  ///< as in --device=: "local-sync", "vulkan", "hip://0"
  RankBy rankBy = RankBy::wall;

  /// Returns the part of the name before "://": "hip" for "hip://0".
  [[nodiscard]] std::string driver() const;
  [[nodiscard]] bool isLocal() const;
};

[[nodiscard]] Device deviceNamed(std::string name);

/// Returns the names of the devices that IREE's runtime finds on this machine.
[[nodiscard]] Result<std::vector<std::string>> listDevices(const Installation& installation);

/// Returns true if the runtime currently finds the device. CPU devices are always present.
[[nodiscard]] Result<bool> isPresent(const Installation& installation, const Device& device);

/// Returns the wanted device, or the target's default device if `wanted` is empty, without checking
/// that it is present. Fails with a user error if the device cannot run the target.
[[nodiscard]] Result<Device> fittingDevice(const Target& target, const std::string& wanted);

/// Returns the device to run the target's code on: the wanted one, or the target's default if
/// `wanted` is empty. Returns nothing if this machine has no device for the target (compile-only).
/// Fails with a user error if the wanted device is unknown or cannot run the target.
[[nodiscard]] Result<std::optional<Device>> chooseDevice(const Installation& installation,
                                                         const Target& target,
                                                         const std::string& wanted);

}  // namespace hone::iree
