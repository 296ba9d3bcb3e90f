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

/// State of a run. Stored by name.
enum class RunStatus : std::uint8_t { running, finished, failed };

[[nodiscard]] std::string_view nameOf(RunStatus status);
[[nodiscard]] std::optional<RunStatus> runStatusFrom(std::string_view name);

/// One invocation, with everything needed to interpret its numbers and to repeat it.
struct Run {
  std::int64_t id = 0;  ///< assigned by the store
  std::string key;      ///< equal for commands that request the same work; used to resume
  std::string command;  ///< "tune", "bench", …; the column and the JSON key are `verb`
  std::vector<std::string> arguments;  ///< command line without the program
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
  std::string summary = "{}";  ///< result as JSON; model/result parses it per command

  bool operator==(const Run&) const = default;
};

/// One candidate and its outcome. `key` is unique within a run.
struct Trial {
  std::int64_t id = 0;   ///< assigned by the store
  std::int64_t run = 0;  ///< assigned by the store
  std::string key;
  std::string problem;  ///< name of the problem or program
  model::Config config;
  model::Outcome outcome = model::Outcome::ok;
  std::string message;      ///< one line for the user
  std::string diagnostics;  ///< complete output of the compiler or device
  std::string artifact;     ///< content hash of the compiled module
  std::int64_t compileWallNs = 0;
  std::int64_t compileCpuNs = 0;
  model::TrialDetails details;

  bool operator==(const Trial&) const = default;
};

/// A cluster machine that took samples, other than the machine of the run.
struct Node {
  std::string name;
  std::string cpu;
  std::string device;  ///< device name as reported by its driver; "" for the CPU
  std::string driver;  ///< driver with version; for the CPU, the operating system

  bool operator==(const Node&) const = default;
};

/// A trial with its samples, recorded by another process.
struct TrialRecord {
  Trial trial;
  std::vector<model::Sample> samples;
  std::int64_t node = 0;  ///< id of the node that took the samples
};

/// A sample with its trial.
struct TrialSample {
  std::int64_t trial = 0;
  model::Sample sample;
  std::int64_t node = 0;  ///< id of the node that took it; 0 for the machine of the run

  bool operator==(const TrialSample&) const = default;
};

/// A line in the list of runs.
struct RunLine {
  std::int64_t id = 0;
  std::string command;
  std::string startedAt;
  RunStatus status = RunStatus::running;
  std::string target;
  std::string device;
  std::string title;  ///< the command line, joined
  std::int64_t trials = 0;
  std::string cluster;  ///< running and queued nodes while a cluster runs it; "" otherwise
};

/// A line in the list of a run's trials.
struct TrialLine {
  std::int64_t id = 0;
  std::string key;
  std::string problem;
  std::string config;  ///< config name, "baseline", or the trial key if unnamed
  model::Outcome outcome = model::Outcome::ok;
  std::string message;
  std::string artifact;
  std::int64_t compileWallNs = 0;
};

/// Joins the arguments into one line, quoted for a shell.
[[nodiscard]] std::string commandLine(std::span<const std::string> arguments);

}  // namespace hone::store
