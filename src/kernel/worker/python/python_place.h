#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"

namespace hone::kernel {

/// The interpreter for kernels and references, and the script of its workers.
struct PythonInstallation {
  std::filesystem::path interpreter;
  std::filesystem::path script;  ///< hone_kernel_worker.py
  std::string foundBy;           ///< "HONE_PYTHON", "the active venv", "hone's own venv", "PATH"
};

/// Finds Python: HONE_PYTHON (no fallback if set), the active venv, hone's own venv, then PATH. Of
/// the last three, prefers the first that has torch, otherwise takes the first. The script is in
/// python/ of the repository, or in share/hone/python of an installation.
[[nodiscard]] Result<PythonInstallation> findPython();

/// Versions of the packages of an interpreter; "" if not installed.
struct PythonPackages {
  std::string python;
  std::string torch;
  std::string tilelang;
};

[[nodiscard]] Result<PythonPackages> queryPackages(const std::filesystem::path& interpreter);

}  // namespace hone::kernel
