#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace hone::iree {

/// The layout of a folder with IREE.
enum class Layout : std::uint8_t { wheels, build };

/// An installation of the IREE wheels, or a CMake build of IREE.
struct Installation {
  std::filesystem::path site;  ///< the folder that contains `iree/`, or the build folder
  std::string foundBy;         ///< "--iree", "HONE_IREE", "the active venv", "hone's own venv"
  Layout layout = Layout::wheels;

  [[nodiscard]] std::filesystem::path compilerLibrary() const;
  /// Returns the binary (not the Python wrapper) of a runtime tool such as "iree-run-module".
  [[nodiscard]] std::filesystem::path runtimeTool(std::string_view name) const;
};

/// Returns the installation that contains this compilerLibrary().
[[nodiscard]] Installation installationAt(const std::filesystem::path& compilerLibrary);

/// Finds IREE by flag, environment (HONE_IREE), the active venv, hone's own venv, in that order.
/// Fails without searching further if the flag or HONE_IREE is set and IREE is not there.
[[nodiscard]] Result<Installation> findInstallation(const std::string& flag);

}  // namespace hone::iree
