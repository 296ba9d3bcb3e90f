#include "iree/compile/installation.h"

#include <array>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "base/machine.h"
#include "base/text/text.h"

namespace hone::iree {
namespace {

namespace fs = std::filesystem;

bool hasIree(const fs::path& site) {
  std::error_code ignored;
  return fs::exists(Installation{site, ""}.compilerLibrary(), ignored);
}

/// Returns the folder that contains `iree/`: the folder itself or the site-packages of a venv.
std::optional<fs::path> findSite(const fs::path& folder) {
  std::error_code ignored;
  if (hasIree(folder)) {
    return folder;
  }
  for (const auto& entry : fs::directory_iterator(folder / "lib", ignored)) {
    fs::path site = entry.path() / "site-packages";
    if (entry.path().filename().string().starts_with("python") && hasIree(site)) {
      return site;
    }
  }
  return std::nullopt;
}

/// Finds IREE next to hone, which is <venv>/bin/hone (pip) or <repository>/build*/hone (make).
std::optional<fs::path> findOwnSite() {
  std::error_code code;
  const fs::path self = fs::read_symlink("/proc/self/exe", code);
  if (code) {
    return std::nullopt;
  }
  const fs::path above = self.parent_path().parent_path();
  if (auto site = findSite(above)) {
    return site;
  }
  return findSite(above / ".venv");
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

fs::path Installation::compilerLibrary() const {
  return site / "iree/compiler/_mlir_libs/libIREECompiler.so";
}

fs::path Installation::runtimeTool(std::string_view name) const {
  return site / "iree/_runtime_libs" / name;
}

Installation installationOf(const fs::path& compilerLibrary) {
  // <site>/iree/compiler/_mlir_libs/<library>
  return {compilerLibrary.parent_path().parent_path().parent_path().parent_path(), ""};
}

Result<Installation> findInstallation(const std::string& flag) {
  const std::array<std::pair<std::string, std::string>, 2> demands = {
      {{"--iree", flag}, {"HONE_IREE", environment("HONE_IREE")}}};
  for (const auto& [name, folder] : demands) {
    if (folder.empty()) {
      continue;
    }
    if (auto site = findSite(folder)) {
      return Installation{*site, name};
    }
    return userError(
        "no IREE compiler found in {} {} (searched for {} there and in its "
        "lib/python*/site-packages)",
        name, folder, "iree/compiler/_mlir_libs/libIREECompiler.so");
  }
  if (const std::string venv = environment("VIRTUAL_ENV"); !venv.empty()) {
    if (auto site = findSite(venv)) {
      return Installation{*site, "the active venv"};
    }
  }
  if (auto site = findOwnSite()) {
    return Installation{*site, "hone's own venv"};
  }
  return machineError(
      "no IREE compiler found: run {}, or 'pip install iree-base-compiler iree-base-runtime' in a "
      "venv and activate it, or set its folder with --iree",
      installCommand(""));
}

}  // namespace hone::iree
