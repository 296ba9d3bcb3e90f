#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::cluster {

/// A job, or an element of a job array, as listed by squeue.
struct Job {
  std::string id;  ///< "12_3" for task 3 of array 12
  std::string state;

  /// Returns true if it is pending or running.
  [[nodiscard]] bool alive() const;
  /// Returns true if the state is final. A job in COMPLETING is neither alive nor ended.
  [[nodiscard]] bool ended() const;
  /// Returns true if it was cancelled or preempted. That is not a failure of its unit.
  [[nodiscard]] bool wasCancelled() const;
  /// Returns true if it exceeded its time limit.
  [[nodiscard]] bool timedOut() const { return state == "TIMEOUT" || state == "DEADLINE"; }
};

/// Parses the output of `squeue --format=%i|%T`; fails with a machine error on any other line.
[[nodiscard]] Result<std::vector<Job>> parseJobs(std::string_view text);
/// Parses the job id printed by `sbatch --parsable`: "12" or "12;cluster".
[[nodiscard]] Result<std::string> parseJobId(std::string_view text);

/// Fails with a user error if these sbatch options override ones that hone sets. Without its name,
/// array and cluster, hone would not find its jobs and would submit them over and over.
[[nodiscard]] Result<void> checkSbatchArgs(std::span<const std::string> arguments);

/// An array of identical jobs.
struct JobRequest {
  std::size_t count = 1;
  std::filesystem::path script;
  std::filesystem::path logs;
  std::vector<std::string> options;  ///< sbatch options
};

/// Runs the Slurm commands. All jobs of a run share one name, by which they are found.
class Slurm {
 public:
  explicit Slurm(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Fails with a user error if Slurm is not installed.
  [[nodiscard]] static Result<void> check();
  /// Submits an array and returns its id. Interrupts are deferred: the scheduler might have
  /// accepted jobs whose id would be lost.
  [[nodiscard]] Result<std::string> submit(const JobRequest& request);
  /// Lists current jobs and those that ended in the last minutes.
  [[nodiscard]] Result<std::vector<Job>> jobs();
  /// Cancels one job; not an error if it has already ended.
  [[nodiscard]] Result<void> cancel(const std::string& job);
  /// Cancels all jobs with the name, also after an interrupt.
  [[nodiscard]] Result<void> cancelAll();
  /// Returns true if the scheduler responded to the last call, even with an error.
  [[nodiscard]] bool answered() const { return answered_; }
  /// Returns the number of calls of the scheduler.
  [[nodiscard]] std::int64_t calls() const { return calls_; }

 private:
  [[nodiscard]] Result<std::string> run(std::vector<std::string> argv, bool always = false);

  std::string name_;
  std::int64_t calls_ = 0;
  bool answered_ = true;
};

}  // namespace hone::cluster
