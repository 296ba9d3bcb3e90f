#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "iree/compile/installation.h"
#include "iree/compile/target.h"

namespace hone::iree {

/// Which time ranks on a device: the synchronous CPU device uses one thread, and its CPU time is
/// hardly moved by other load; what runs in parallel or elsewhere is judged by the wall.
enum class RankBy : std::uint8_t { cpu, wall };

/// Where code runs.
struct Device {
  std::string name;  ///< as IREE's tools take it: "local-sync", "vulkan", "hip://0"
  RankBy rankBy = RankBy::wall;

  /// "local-sync" of "local-sync://x".
  [[nodiscard]] std::string driver() const;
  [[nodiscard]] bool isLocal() const;
};

[[nodiscard]] Device deviceNamed(std::string name);

/// The devices of this machine that IREE's runtime finds, by name.
[[nodiscard]] Result<std::vector<std::string>> listDevices(const Installation& installation);

/// Whether the device's driver still finds one; those of the CPU are always there.
[[nodiscard]] Result<bool> isPresent(const Installation& installation, const Device& device);

/// The wanted device, or the target's own when `wanted` is empty, whether this machine has it or
/// not. One that cannot run the target is a user error.
[[nodiscard]] Result<Device> fittingDevice(const Target& target, const std::string& wanted);

/// The device to run the target's code on: the wanted one, or the target's own when `wanted` is
/// empty. Nothing when this machine has no device for the target: it is compile-only here. A
/// wanted device that is unknown, or cannot run the target, is a user error.
[[nodiscard]] Result<std::optional<Device>> chooseDevice(const Installation& installation,
                                                         const Target& target,
                                                         const std::string& wanted);

}  // namespace hone::iree
