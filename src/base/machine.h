#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hone {

[[nodiscard]] std::string hostName();
/// Returns the model name in /proc/cpuinfo; "unknown" if it has none.
[[nodiscard]] std::string cpuName();
/// Returns the number of CPUs in this process's affinity mask.
[[nodiscard]] std::size_t cpuCount();
/// Returns the size of the physical memory.
[[nodiscard]] std::uint64_t memoryBytes();
/// Returns the size of the first CPU's data cache at `level`, or nullopt if sysfs does not report
/// it. A cache shared by several CPUs counts in full.
[[nodiscard]] std::optional<std::uint64_t> dataCacheBytes(int level);
/// Returns the path of the running executable.
[[nodiscard]] Result<std::filesystem::path> ownProgram();
/// Returns the parent of the executable's folder: <venv> of <venv>/bin/hone if installed by pip,
/// <repository> of <repository>/build/hone if built by make. "" if the executable is unknown.
[[nodiscard]] std::filesystem::path installPrefix();
/// Returns the command that installs an optional part ("kernels"), or everything that is required
/// (""). It depends on how hone was installed: from source or by pip.
[[nodiscard]] std::string installCommand(std::string_view part);

}  // namespace hone
