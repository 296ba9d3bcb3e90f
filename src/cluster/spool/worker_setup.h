#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/error.h"

namespace hone::cluster {

/// The toolchain that the workers of a run start.
struct WorkerToolchain {
  std::filesystem::path iree;
  std::string target;
  std::string device;
  double compileSeconds = 0;
  double runSeconds = 0;
};

/// Configuration of the workers of a run: setup.json in the spool.
struct WorkerSetup {
  std::string version = {};             ///< of hone; the workers must have the same
  std::filesystem::path shared = {};    ///< folder that all nodes can read
  std::optional<std::string> cpu = {};  ///< the only one that may perform the units
  double idleSeconds = 120;             ///< time without work after which a worker exits
  double headSeconds = 300;             ///< time without a heartbeat after which the head is lost
  std::optional<WorkerToolchain> toolchain = {};  ///< nothing: the units need none
};

[[nodiscard]] nlohmann::json toJson(const WorkerSetup& setup);
/// Fails with a machine error for a setup of an incompatible version.
[[nodiscard]] Result<WorkerSetup> workerSetupFrom(const nlohmann::json& json);

}  // namespace hone::cluster
