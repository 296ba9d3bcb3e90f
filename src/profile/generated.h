#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "profile/operation.h"
#include "profile/tuning.h"

namespace hone::profile {

/// An operation with its configurations, stored in a folder by `hone generate`.
/// generated/linalg/<kind>/<name>/ contains <name>.mlir with a function per configuration, and
/// <name>.json, which describes them.
struct Generated {
  Operation operation;
  std::string target;
  std::vector<TuningConfig> configs;
  std::filesystem::path folder;

  [[nodiscard]] std::filesystem::path file(std::string_view ending) const;
  /// Returns the name of a dispatch and its function: the operation's name and the configuration's.
  [[nodiscard]] std::string dispatchName(const TuningConfig& config) const;
  /// Returns the compiler flags for this operation, without the target's.
  [[nodiscard]] std::vector<std::string> flags() const;
};

/// Returns the configurations of a split-k matmul, one per number of slices that divides k.
[[nodiscard]] std::vector<TuningConfig> splitKConfigs(const Operation& operation);

/// Returns the MLIR functions of the given configurations.
[[nodiscard]] std::string generateSource(const Generated& generated,
                                         const std::vector<TuningConfig>& configs);

/// Returns the folder of an operation below `root`.
[[nodiscard]] std::filesystem::path folderFor(const std::filesystem::path& root,
                                              const Operation& operation);
[[nodiscard]] std::filesystem::path folderFor(const std::filesystem::path& root,
                                              const std::string& kind, const std::string& name);

/// Writes both files; does not touch files that are unchanged.
[[nodiscard]] Result<void> writeGenerated(const Generated& generated);
/// Reads all operations below `root`, sorted by name. Returns a user error if there are none or a
/// file is damaged.
[[nodiscard]] Result<std::vector<Generated>> readGenerated(const std::filesystem::path& root);

}  // namespace hone::profile
