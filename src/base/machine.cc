#include "base/machine.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "base/text/text.h"

namespace hone {

std::string hostName() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string cpuName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) {
      return std::string(trim(line.substr(line.find(':') + 1)));
    }
  }
  return "unknown";
}

std::size_t cpuCount() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) {
    return 1;
  }
  return static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
}

std::uint64_t memoryBytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
}

std::optional<std::uint64_t> dataCacheBytes(int level) {
  const std::filesystem::path caches = "/sys/devices/system/cpu/cpu0/cache";
  const auto readLine = [](const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
  };
  std::error_code error;
  for (const auto& cache : std::filesystem::directory_iterator(caches, error)) {
    const std::string size = readLine(cache.path() / "size");
    if (readLine(cache.path() / "level") != std::to_string(level) ||
        readLine(cache.path() / "type") == "Instruction" || !size.ends_with('K')) {
      continue;
    }
    if (const auto kibibytes = parseInt(size.substr(0, size.size() - 1))) {
      return static_cast<std::uint64_t>(*kibibytes) << 10U;
    }
  }
  return std::nullopt;
}

Result<std::filesystem::path> ownProgram() {
  std::error_code error;
  auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return machineError("cannot find the running executable: {}", error.message());
  }
  return program;
}

std::filesystem::path installPrefix() {
  const auto program = ownProgram();
  return program ? program->parent_path().parent_path() : std::filesystem::path();
}

std::string installCommand(std::string_view part) {
  if (std::error_code ignored;
      std::filesystem::exists(installPrefix() / "scripts/setup", ignored)) {
    return part.empty() ? "scripts/setup" : fmt::format("scripts/setup --{}", part);
  }
  return part.empty() ? "pip install --force-reinstall hone-iree"
                      : fmt::format("pip install 'hone-iree[{}]'", part);
}

}  // namespace hone
