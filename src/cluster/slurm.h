#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::cluster {

/// A job, or one of an array, as squeue lists it.
struct Job {
  std::string id;  ///< "12_3" for the third of array 12
  std::string state;

  /// It runs or will.
  [[nodiscard]] bool alive() const;
  /// This is how it ended. One that is about to end (COMPLETING) is neither alive nor has ended.
  [[nodiscard]] bool ended() const;
  /// Somebody took it away: what it was at is not to blame.
  [[nodiscard]] bool takenAway() const;
  /// It took longer than a job may.
  [[nodiscard]] bool overTime() const { return state == "TIMEOUT" || state == "DEADLINE"; }
};

/// What `squeue --format=%i|%T` printed. A line of another form is a machine error.
[[nodiscard]] Result<std::vector<Job>> jobsFrom(std::string_view text);
/// The number of the job in what `sbatch --parsable` printed: "12" or "12;cluster".
[[nodiscard]] Result<std::string> submittedIn(std::string_view text);

/// A user error where these options of sbatch take from hone what it must say itself: without its
/// own name, number and place of jobs it would not find them again, and submit them over and over.
[[nodiscard]] Result<void> checkSbatchArgs(std::span<const std::string> arguments);

/// So many equal jobs.
struct JobRequest {
  std::size_t count = 1;
  std::filesystem::path script;
  std::filesystem::path logs;
  std::vector<std::string> options;  ///< of sbatch
};

/// Slurm, by its commands. All jobs of a run have one name, by which they are found again.
class Slurm {
 public:
  explicit Slurm(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  /// A user error where there is no Slurm here.
  [[nodiscard]] static Result<void> check();
  /// Its number. An interrupt does not end it midway: the scheduler might have taken the jobs, and
  /// nobody would know them.
  [[nodiscard]] Result<std::string> submit(const JobRequest& request);
  /// Those that are there, and those that ended in the last minutes.
  [[nodiscard]] Result<std::vector<Job>> jobs();
  /// One of them; no error where it has ended by itself.
  [[nodiscard]] Result<void> cancel(const std::string& job);
  /// All of the name; also after an interrupt.
  [[nodiscard]] Result<void> cancelAll();
  /// Whether the scheduler itself spoke when it was last asked, be it to refuse.
  [[nodiscard]] bool answered() const { return answered_; }
  /// How often the scheduler was asked for something.
  [[nodiscard]] std::int64_t calls() const { return calls_; }

 private:
  [[nodiscard]] Result<std::string> run(std::vector<std::string> argv, bool always = false);

  std::string name_;
  std::int64_t calls_ = 0;
  bool answered_ = true;
};

}  // namespace hone::cluster
