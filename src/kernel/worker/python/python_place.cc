#include "kernel/worker/python/python_place.h"

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <vector>

#include "base/machine.h"
#include "base/process/subprocess.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool pathExists(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

Result<fs::path> findScript() {
  const fs::path above = installPrefix();
  for (const char* folder : {"python", "share/hone/python"}) {
    if (fs::path script = above / folder / "hone_kernel_worker.py"; pathExists(script)) {
      return script;
    }
  }
  return machineError("hone_kernel_worker.py not found in {}; reinstall hone",
                      (above / "share/hone/python").string());
}

/// Returns true if the venv of an interpreter has torch, without running it.
bool hasTorch(const fs::path& interpreter) {
  std::error_code ignored;
  const fs::path lib = interpreter.parent_path().parent_path() / "lib";
  for (const auto& entry : fs::directory_iterator(lib, ignored)) {
    if (pathExists(entry.path() / "site-packages/torch")) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<PythonInstallation> findPython() {
  const fs::path script = HONE_TRY(findScript());
  if (const std::string demanded = environment("HONE_PYTHON"); !demanded.empty()) {
    const std::string interpreter = findProgram(demanded);
    if (interpreter.empty()) {
      return userError("HONE_PYTHON: {} is not a program", demanded);
    }
    return PythonInstallation{interpreter, script, "HONE_PYTHON"};
  }
  const fs::path above = installPrefix();
  const std::array<std::pair<fs::path, const char*>, 5> places = {
      {{fs::path(environment("VIRTUAL_ENV")) / "bin/python", "the active venv"},
       {above / ".venv/kernels/bin/python", "hone's own venv"},
       {above / "bin/python", "hone's own venv"},
       {above / ".venv/bin/python", "hone's own venv"},
       {findProgram("python3"), "PATH"}}};
  std::optional<PythonInstallation> first;
  for (const auto& [interpreter, foundBy] : places) {
    if (interpreter.is_relative() || !pathExists(interpreter)) {
      continue;
    }
    PythonInstallation place{interpreter, script, foundBy};
    if (hasTorch(interpreter)) {
      return place;
    }
    first = first ? first : place;
  }
  if (!first) {
    return machineError("no Python found; run {} to install torch", installCommand("kernels"));
  }
  return *first;
}

Result<PythonPackages> queryPackages(const fs::path& interpreter) {
  constexpr const char* kAsk = R"(import importlib.metadata as m, json, platform
def version(name):
    try:
        return m.version(name)
    except m.PackageNotFoundError:
        return ""
print(json.dumps([platform.python_version(), version("torch"), version("tilelang")])))";
  Command command;
  command.argv = {interpreter.string(), "-c", kAsk};
  command.limits.wall = std::chrono::seconds(30);
  const Finished finished = HONE_TRY(runCommand(command));
  const auto answer = nlohmann::json::parse(finished.out, nullptr, false);
  if (!finished.ending.ok() || !answer.is_array() || answer.size() != 3) {
    return machineError("{} failed: {}", interpreter.string(), finished.ending.describe());
  }
  return PythonPackages{answer[0], answer[1], answer[2]};
}

}  // namespace hone::kernel
