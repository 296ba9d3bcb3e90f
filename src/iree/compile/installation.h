#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace hone::iree {

/// Where the IREE wheels are: the folder that contains `iree/`.
struct Installation {
  std::filesystem::path site;
  std::string foundBy;  ///< "--iree", "HONE_IREE", "the active venv", "hone's own venv"

  [[nodiscard]] std::filesystem::path compilerLibrary() const;
  /// A tool of the runtime wheel, as the real binary: "iree-run-module".
  [[nodiscard]] std::filesystem::path runtimeTool(std::string_view name) const;
};

/// Finds IREE by flag, environment (HONE_IREE), the active venv, hone's own venv, in that order.
/// The first two are demands: when IREE is not there, that is an error and the search ends.
[[nodiscard]] Result<Installation> findInstallation(const std::string& flag);

}  // namespace hone::iree
