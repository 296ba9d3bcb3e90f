#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace hone::cluster {

/// Executor to use, and resources to request from a cluster.
struct Options {
  std::string executor = "local";  ///< "local" or "slurm"
  std::string partition;
  std::string gres;
  std::string account;
  std::size_t nodes = 1;         ///< measuring nodes, each used exclusively by one worker
  std::size_t compileNodes = 0;  ///< additional workers that only compile, on any node
  std::string compilePartition;
  std::vector<std::string> sbatchArgs;
  std::filesystem::path shared;  ///< folder visible to all nodes; "": in the user's cache
  double idleSeconds = 120;      ///< an idle worker exits after this time
  double lostSeconds = 60;       ///< a worker without a heartbeat for this time is lost
  double headSeconds = 300;      ///< workers exit if the head has no heartbeat for this time

  [[nodiscard]] bool usesCluster() const { return executor != "local"; }
  [[nodiscard]] std::filesystem::path sharedFolder() const;
};

/// Name of the settings file in the working directory.
inline constexpr const char* kSettingsFile = "hone.toml";

/// Applies the section [cluster] of the settings file; skips [kernel]. Fails with a user error with
/// the line on an unknown section or key, or a value of the wrong type.
[[nodiscard]] Result<Options> withSettings(Options options, std::string_view content,
                                           const std::string& file);

}  // namespace hone::cluster
