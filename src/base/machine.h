#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"

namespace hone {

/// What this machine is, for records and for limits.
[[nodiscard]] std::string hostName();
[[nodiscard]] std::string cpuName();
/// CPUs that this process may use.
[[nodiscard]] std::size_t cpuCount();
[[nodiscard]] std::uint64_t memoryBytes();
/// The file that this process runs.
[[nodiscard]] Result<std::filesystem::path> ownProgram();

}  // namespace hone
