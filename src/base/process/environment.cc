#include "base/process/environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace hone {
namespace {

constexpr std::array<std::string_view, 16> kHarmlessNames = {
    "PATH",   "HOME",    "USER", "LOGNAME",         "SHELL",       "LANG", "LANGUAGE", "TZ",
    "TMPDIR", "DISPLAY", "TERM", "WAYLAND_DISPLAY", "VIRTUAL_ENV", "PWD",  "NO_COLOR", "COLUMNS"};

constexpr std::array<std::string_view, 36> kHarmlessPrefixes = {
    // System, loader, language runtimes, sanitizers.
    "LC_", "XDG_", "LD_", "MALLOC_", "GLIBC_", "PYTHON", "CONDA_PREFIX", "ASAN_", "UBSAN_", "TSAN_",
    "LSAN_", "SLURM", "HONE_",
    // Compilers and numeric libraries.
    "IREE_", "OMP_", "KMP_", "GOMP_", "DNNL_", "ONEDNN_", "LLVM_",
    // Graphics and compute drivers.
    "VK_", "VULKAN_", "MESA_", "GALLIUM_", "LP_", "LIBGL_", "DRI_", "RADV_", "ANV_", "AMD_", "HSA_",
    "HIP_", "ROC", "GPU_", "CUDA_", "NVIDIA_"};

constexpr std::array<std::string_view, 8> kSecretWords = {"KEY",  "TOKEN",      "SECRET", "PASS",
                                                          "AUTH", "CREDENTIAL", "COOKIE", "JWT"};

std::string_view nameIn(std::string_view entry) { return entry.substr(0, entry.find('=')); }

/// Returns true if the variable configures the system, compilers or drivers and its name does not
/// suggest a secret. Unknown names may be secrets.
bool isHarmlessVariable(std::string_view name) {
  const auto contains = [&](std::string_view word) { return name.contains(word); };
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  return std::ranges::none_of(kSecretWords, contains) &&
         (std::ranges::find(kHarmlessNames, name) != kHarmlessNames.end() ||
          std::ranges::any_of(kHarmlessPrefixes, begins));
}

}  // namespace

void dropSecrets() {
  char** kept = environ;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::size_t length = nameIn(*at).size();
    if (isHarmlessVariable({*at, length})) {
      *kept++ = *at;
    } else {
      ::explicit_bzero(*at + length, std::strlen(*at + length));
    }
  }
  if (kept != nullptr) {
    *kept = nullptr;
  }
}

std::vector<std::string> environmentWith(
    std::span<const std::pair<std::string, std::string>> changes, Inherit inherit) {
  std::vector<std::string> variables;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view entry(*at);
    const std::string_view name = nameIn(entry);
    const bool replaced =
        std::ranges::any_of(changes, [&](const auto& change) { return change.first == name; });
    const bool inherited = inherit == Inherit::everything ||
                           (inherit == Inherit::harmless && isHarmlessVariable(name));
    if (inherited && !replaced) {
      variables.emplace_back(entry);
    }
  }
  for (const auto& [key, value] : changes) {
    variables.push_back(fmt::format("{}={}", key, value));
  }
  return variables;
}

std::vector<char*> execPointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    out.push_back(text.data());
  }
  out.push_back(nullptr);
  return out;
}

}  // namespace hone
