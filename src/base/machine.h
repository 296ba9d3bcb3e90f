#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"

namespace hone {

/// What this machine is, for records and for limits.
[[nodiscard]] std::string hostName();
[[nodiscard]] std::string cpuName();
/// CPUs that this process may use.
[[nodiscard]] std::size_t cpuCount();
[[nodiscard]] std::uint64_t memoryBytes();
/// The size of the cache for data of this level that the first CPU has; nothing where the system
/// does not say. Of caches that several CPUs share it is the whole.
[[nodiscard]] std::optional<std::uint64_t> dataCacheBytes(int level);
/// The file that this process runs.
[[nodiscard]] Result<std::filesystem::path> ownProgram();

}  // namespace hone
