#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/result/config.h"
#include "model/result/outcome.h"
#include "model/result/run_details.h"
#include "model/result/sample.h"
#include "model/result/trial_details.h"

namespace hone::store {

/// How far a run got. Stored by name.
enum class RunStatus : std::uint8_t { running, finished, failed };

[[nodiscard]] std::string_view nameOf(RunStatus status);
[[nodiscard]] std::optional<RunStatus> runStatusFrom(std::string_view name);

/// One invocation: what ran, where and with what. Everything that is needed to say later what the
/// numbers mean, and to start it again.
struct Run {
  std::int64_t id = 0;  ///< given by the store
  std::string key;      ///< equal for commands that ask for the same work; resuming looks it up
  std::string verb;
  std::vector<std::string> arguments;  ///< the command line after the program's name
  std::string workingFolder;
  RunStatus status = RunStatus::running;
  std::string startedAt;
  std::string finishedAt;
  std::string honeVersion;
  std::string compilerRevision;
  std::string host;
  std::string cpu;
  std::string target;
  std::string device;
  std::uint64_t seed = 0;
  model::RunDetails details;
  std::string summary = "{}";  ///< the result, as JSON; model/result reads that of each verb

  bool operator==(const Run&) const = default;
};

/// One candidate and how it ended. `key` is unique within a run.
struct Trial {
  std::int64_t id = 0;   ///< given by the store
  std::int64_t run = 0;  ///< given by the store
  std::string key;
  std::string problem;  ///< its name, or the program's
  model::Config config;
  model::Outcome outcome = model::Outcome::ok;
  std::string message;      ///< one line for a person
  std::string diagnostics;  ///< what the compiler or the device said, whole
  std::string artifact;     ///< content hash of the compiled module
  std::int64_t compileWallNs = 0;
  std::int64_t compileCpuNs = 0;
  model::TrialDetails details;

  bool operator==(const Trial&) const = default;
};

/// A machine that samples were taken on, other than the one that the run was started on.
struct Node {
  std::string name;
  std::string cpu;
  std::string device;  ///< what ran the code, as its driver calls it; "" for the CPU itself
  std::string driver;  ///< with its version; of the CPU the system's

  bool operator==(const Node&) const = default;
};

/// A trial with its samples, as another process recorded them.
struct TrialRecord {
  Trial trial;
  std::vector<model::Sample> samples;
  std::int64_t node = 0;  ///< where they were taken, as the store numbers nodes
};

/// A sample with the trial that it belongs to.
struct TrialSample {
  std::int64_t trial = 0;
  model::Sample sample;
  std::int64_t node = 0;  ///< where it was taken; 0: on the machine of the run

  bool operator==(const TrialSample&) const = default;
};

/// A line of the listing of runs.
struct RunLine {
  std::int64_t id = 0;
  std::string verb;
  std::string startedAt;
  RunStatus status = RunStatus::running;
  std::string target;
  std::string device;
  std::string title;  ///< the command line, joined
  std::int64_t trials = 0;
  std::string cluster;  ///< nodes, running and queued, while a cluster works on it; "" else
};

/// A line of the listing of a run's trials.
struct TrialLine {
  std::int64_t id = 0;
  std::string key;
  std::string problem;
  std::string config;  ///< its name, "baseline", or the trial's key where it has no name
  model::Outcome outcome = model::Outcome::ok;
  std::string message;
  std::string artifact;
  std::int64_t compileWallNs = 0;
};

/// The arguments as one line that a shell reads back as they were.
[[nodiscard]] std::string commandLine(std::span<const std::string> arguments);

/// JSON as text. Bytes that are no UTF-8, as tools may print them, become U+FFFD; dump() throws.
[[nodiscard]] std::string jsonText(const nlohmann::json& json, int indent = -1);

}  // namespace hone::store
