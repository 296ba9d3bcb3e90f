#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"

namespace hone::kernel {

/// The Python in which kernels and references run, and the program of its workers.
struct PythonPlace {
  std::filesystem::path interpreter;
  std::filesystem::path script;  ///< hone_kernel_worker.py
  std::string foundBy;           ///< "HONE_PYTHON", "the active venv", "hone's own venv", "PATH"
};

/// Finds Python by HONE_PYTHON (a demand: nothing else is tried then), the active venv, hone's own
/// venv, PATH, in that order; of the last three the first that has torch, else the first. The
/// script is in the repository's python/, or in share/hone/python where hone was installed.
[[nodiscard]] Result<PythonPlace> findPython();

/// Versions of what is installed for an interpreter; "" where it is not.
struct PythonPackages {
  std::string python;
  std::string torch;
  std::string tilelang;
};

[[nodiscard]] Result<PythonPackages> packagesOf(const std::filesystem::path& interpreter);

}  // namespace hone::kernel
