#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace hone::cluster {

/// Where work is done, and how a cluster is asked for it.
struct Options {
  std::string executor = "local";  ///< or "slurm"
  std::string partition;
  std::string gres;
  std::string account;
  std::size_t nodes = 1;         ///< that measure, each alone with its worker
  std::size_t compileNodes = 0;  ///< further workers that only compile, on any node
  std::string compilePartition;
  std::vector<std::string> sbatchArgs;
  std::filesystem::path shared;  ///< a folder that all nodes see; "": in the cache of the user
  double idleSeconds = 120;      ///< a worker without work goes after this time
  double lostSeconds = 60;       ///< one that shows no sign of life is given up
  double headSeconds = 300;      ///< workers go when the head shows none

  [[nodiscard]] bool usesCluster() const { return executor != "local"; }
  [[nodiscard]] std::filesystem::path sharedFolder() const;
};

/// The name of the file of settings that is looked for in the working folder.
inline constexpr const char* kSettingsFile = "hone.toml";

/// The options with what the section [cluster] of the file says. An unknown section or key, or a
/// value of the wrong kind, is a user error with its line.
[[nodiscard]] Result<Options> withSettings(Options options, std::string_view content,
                                           const std::string& file);

}  // namespace hone::cluster
