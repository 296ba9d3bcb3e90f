#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "profile/operation.h"
#include "profile/tuning.h"

namespace hone::profile {

/// An operation with its configurations, as it lies in the folder that `hone generate` made:
/// generated/linalg/<kind>/<name>/ with <name>.mlir, a function for each configuration, and
/// <name>.json, which says what they are.
struct Generated {
  Operation operation;
  std::string target;
  std::vector<TuningConfig> configs;
  std::filesystem::path folder;

  [[nodiscard]] std::filesystem::path file(std::string_view ending) const;
  /// The name of a dispatch: the operation's with the configuration's. Its function is called so.
  [[nodiscard]] std::string dispatchName(const TuningConfig& config) const;
  /// What the compiler must be told for this operation, beside the target's flags.
  [[nodiscard]] std::vector<std::string> flags() const;
};

/// The configurations of a split-k matmul, one for each number of slices that divides k.
[[nodiscard]] std::vector<TuningConfig> splitKConfigs(const Operation& operation);

/// The functions of the given configurations, as MLIR.
[[nodiscard]] std::string sourceOf(const Generated& generated,
                                   const std::vector<TuningConfig>& configs);

/// The folder below `root` that an operation belongs to.
[[nodiscard]] std::filesystem::path folderOf(const std::filesystem::path& root,
                                             const Operation& operation);
[[nodiscard]] std::filesystem::path folderOf(const std::filesystem::path& root,
                                             const std::string& kind, const std::string& name);

/// Writes both files; those that are there and equal are left alone.
[[nodiscard]] Result<void> writeGenerated(const Generated& generated);
/// All that lies below `root`, by name. Nothing there, or a damaged file: user errors.
[[nodiscard]] Result<std::vector<Generated>> readGenerated(const std::filesystem::path& root);

}  // namespace hone::profile
