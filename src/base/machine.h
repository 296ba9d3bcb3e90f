#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"

namespace hone {

[[nodiscard]] std::string hostName();
[[nodiscard]] std::string cpuName();
/// Returns the number of CPUs in this process's affinity mask.
[[nodiscard]] std::size_t cpuCount();
[[nodiscard]] std::uint64_t memoryBytes();
/// Returns the size of the first CPU's data cache at `level`, or nullopt if sysfs does not report
/// it. A cache shared by several CPUs counts in full.
[[nodiscard]] std::optional<std::uint64_t> dataCacheBytes(int level);
/// Returns the path of the running executable.
[[nodiscard]] Result<std::filesystem::path> ownProgram();

}  // namespace hone
