#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "store/records.h"

namespace hone::store {

/// Database of all measurements: one SQLite file in WAL mode, with any number of writing processes
/// and readers. Writers take turns, one per commit; each run belongs to one process at a time.
/// Every writing call is one commit, which survives a crash of the process. A power failure may
/// lose the last commits but does not corrupt the store.
///
/// Not thread-safe. A forked child may destroy a store but not use it.
class Store {
 public:
  enum class Mode : std::uint8_t {
    read,   ///< the file must exist; never creates, migrates or locks
    write,  ///< creates and migrates
  };

  /// Opens a store; fails if the file is not a store, has a newer schema (for reading, also an
  /// older one), or cannot be written. The message names both schema versions.
  [[nodiscard]] static Result<Store> open(const std::filesystem::path& file, Mode mode);
  /// Returns the store of this user: hone.db in the data folder.
  [[nodiscard]] static Result<std::filesystem::path> defaultFile();

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // Runs.
  /// Adds a run, which belongs to this process until the store is closed.
  [[nodiscard]] Result<std::int64_t> addRun(const Run& run);
  /// Returns the newest run with `key` that is still `running` but whose process is gone, for
  /// resuming, and claims it for this process.
  [[nodiscard]] Result<std::optional<Run>> unfinishedRun(std::string_view key);
  /// Returns true if another process works on the run. Only for a store opened to write.
  [[nodiscard]] bool isInUse(std::int64_t run) const;
  [[nodiscard]] Result<std::optional<Run>> run(std::int64_t id) const;
  [[nodiscard]] Result<void> setDetails(std::int64_t run, const model::RunDetails& details);
  /// Sets the status, the summary and the finish time.
  [[nodiscard]] Result<void> finishRun(std::int64_t run, RunStatus status,
                                       const nlohmann::json& summary);
  /// Returns the status, or nullopt if there is no such run. Much cheaper than run().
  [[nodiscard]] Result<std::optional<RunStatus>> status(std::int64_t run) const;
  /// Returns the summary as JSON text, or nullopt if there is no such run.
  [[nodiscard]] Result<std::optional<std::string>> summary(std::int64_t run) const;
  /// Lists runs, newest first; all of them if `limit` is below 1.
  [[nodiscard]] Result<std::vector<RunLine>> listRuns(std::int64_t limit) const;

  // Trials.
  /// Adds a trial with its screening samples in one commit; fails if the run already has its key.
  [[nodiscard]] Result<std::int64_t> addTrial(std::int64_t run, const Trial& trial,
                                              std::span<const model::Sample> samples);
  /// Changes the outcome of a trial, for example to run_failed in the race.
  [[nodiscard]] Result<void> setOutcome(std::int64_t trial, model::Outcome outcome,
                                        std::string_view message);
  /// Replaces the details of a trial.
  [[nodiscard]] Result<void> setTrialDetails(std::int64_t trial,
                                             const model::TrialDetails& details);
  /// Returns the trials in insertion order.
  [[nodiscard]] Result<std::vector<Trial>> trials(std::int64_t run) const;
  /// Returns the trials without configs, details and diagnostics, in about a third of the time.
  [[nodiscard]] Result<std::vector<TrialLine>> listTrials(std::int64_t run) const;

  // Samples.
  /// Adds the samples of a round, taken on the machine of the run: `node` is ignored. One commit.
  /// Fails and stores nothing if a trial already has a sample for a stage, round, position and
  /// repetition.
  [[nodiscard]] Result<void> addSamples(std::span<const TrialSample> samples);
  /// Returns the samples of a run, ordered by stage, round, position, trial.
  [[nodiscard]] Result<std::vector<TrialSample>> samples(std::int64_t run) const;

  /// Adds the records of another process in one commit and returns the ids of their trials. Updates
  /// outcome, message and details of trials whose key exists. Keeps existing samples.
  [[nodiscard]] Result<std::vector<std::int64_t>> merge(std::int64_t run,
                                                        std::span<const TrialRecord> records);
  /// Returns the id of a node, for its samples. Adds the node if it is new.
  [[nodiscard]] Result<std::int64_t> addNode(const Node& node);
  [[nodiscard]] Result<std::map<std::int64_t, Node>> nodes() const;
  /// Returns a number that changes when another process commits. Reads shared memory only, so it
  /// can be polled every second.
  [[nodiscard]] Result<std::int64_t> dataVersion() const;

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hone::store
