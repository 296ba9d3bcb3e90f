#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hone {

/// What this machine is, for records and for limits.
[[nodiscard]] std::string hostName();
[[nodiscard]] std::string cpuName();
/// CPUs that this process may use.
[[nodiscard]] std::size_t cpuCount();
[[nodiscard]] std::uint64_t memoryBytes();

}  // namespace hone
