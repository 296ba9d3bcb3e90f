#include "iree/compile/toolchain/installation.h"

#include <array>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <vector>

#include "base/machine.h"
#include "base/text/text.h"

namespace hone::iree {
namespace {

namespace fs = std::filesystem;

/// Finds IREE in the folder itself, in the site-packages of a venv, or in a build folder. Does not
/// set `foundBy`.
std::optional<Installation> findIn(const fs::path& folder) {
  std::error_code ignored;
  std::vector<Installation> candidates = {{folder, "", Layout::wheels}};
  for (const auto& entry : fs::directory_iterator(folder / "lib", ignored)) {
    if (entry.path().filename().string().starts_with("python")) {
      candidates.push_back({entry.path() / "site-packages", "", Layout::wheels});
    }
  }
  candidates.push_back({folder, "", Layout::build});
  for (Installation& one : candidates) {
    if (fs::exists(one.compilerLibrary(), ignored)) {
      return std::move(one);
    }
  }
  return std::nullopt;
}

/// Finds IREE next to hone, which is <venv>/bin/hone (pip) or <repository>/build*/hone (make).
std::optional<Installation> findOwn() {
  std::error_code code;
  const fs::path self = fs::read_symlink("/proc/self/exe", code);
  if (code) {
    return std::nullopt;
  }
  const fs::path above = self.parent_path().parent_path();
  if (auto found = findIn(above)) {
    return found;
  }
  return findIn(above / ".venv");
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

fs::path Installation::compilerLibrary() const {
  return layout == Layout::build ? site / "lib/libIREECompiler.so"
                                 : site / "iree/compiler/_mlir_libs/libIREECompiler.so";
}

fs::path Installation::runtimeTool(std::string_view name) const {
  return site / (layout == Layout::build ? "tools" : "iree/_runtime_libs") / name;
}

Installation installationAt(const fs::path& compilerLibrary) {
  // <site>/iree/compiler/_mlir_libs/<library>
  return {compilerLibrary.parent_path().parent_path().parent_path().parent_path(), ""};
}

Result<Installation> findInstallation(const std::string& flag) {
  const auto named = [](Installation found, const std::string& foundBy) {
    found.foundBy = foundBy;
    return found;
  };
  const std::array<std::pair<std::string, std::string>, 2> demands = {
      {{"--iree", flag}, {"HONE_IREE", environment("HONE_IREE")}}};
  for (const auto& [name, folder] : demands) {
    if (folder.empty()) {
      continue;
    }
    if (auto found = findIn(folder)) {
      return named(*found, name);
    }
    return userError(
        "no IREE compiler found in {} {} (searched for {} there and in its "
        "lib/python*/site-packages, and for {} of a build)",
        name, folder, "iree/compiler/_mlir_libs/libIREECompiler.so", "lib/libIREECompiler.so");
  }
  if (const std::string venv = environment("VIRTUAL_ENV"); !venv.empty()) {
    if (auto found = findIn(venv)) {
      return named(*found, "the active venv");
    }
  }
  if (auto found = findOwn()) {
    return named(*found, "hone's own venv");
  }
  return machineError(
      "no IREE compiler found: run {}, or 'pip install iree-base-compiler iree-base-runtime' in a "
      "venv and activate it, or set its folder with --iree",
      installCommand(""));
}

}  // namespace hone::iree
