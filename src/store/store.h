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

/// One SQLite file (WAL) with everything that was ever measured. One process writes, any number
/// read. Every call that writes is one commit: what returned is kept, however the process ends (the
/// last commits may fall to a power cut, the store does not).
/// Not for threads. A forked child may hold one, and let it go, but not use it.
class Store {
 public:
  enum class Mode : std::uint8_t {
    read,   ///< the file must exist; never creates, migrates or locks
    write,  ///< creates and migrates; refused while another process writes
  };

  /// Errors are one line each: a file that is no store, a store of a newer schema (names both
  /// versions), another writer (names its process), a folder that cannot be written.
  [[nodiscard]] static Result<Store> open(const std::filesystem::path& file, Mode mode);
  /// The store of this user: hone.db in the data folder.
  [[nodiscard]] static std::filesystem::path defaultFile();

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // Runs.
  [[nodiscard]] Result<std::int64_t> addRun(const Run& run);
  /// The newest run of the key that is still `running`, for resuming: its process is gone, for
  /// there is one writer.
  [[nodiscard]] Result<std::optional<Run>> unfinishedRun(std::string_view key) const;
  [[nodiscard]] Result<std::optional<Run>> run(std::int64_t id) const;
  [[nodiscard]] Result<void> setDetails(std::int64_t run, const model::RunDetails& details);
  /// Stamps the time, too.
  [[nodiscard]] Result<void> finishRun(std::int64_t run, RunStatus status,
                                       const nlohmann::json& summary);
  /// Nothing where there is no such run. Much cheaper than the run itself.
  [[nodiscard]] Result<std::optional<RunStatus>> status(std::int64_t run) const;
  /// Newest first; all of them for a limit below 1.
  [[nodiscard]] Result<std::vector<RunLine>> listRuns(std::int64_t limit) const;

  // Trials: added once, with the samples of its screening, in one commit. A key that the run
  // already has is an error.
  [[nodiscard]] Result<std::int64_t> addTrial(std::int64_t run, const Trial& trial,
                                              std::span<const model::Sample> samples);
  /// The outcome of a trial may still fall in the race (too_slow, run_failed).
  [[nodiscard]] Result<void> setOutcome(std::int64_t trial, model::Outcome outcome,
                                        std::string_view message);
  /// What was learned about a trial after it was added.
  [[nodiscard]] Result<void> setTrialDetails(std::int64_t trial,
                                             const model::TrialDetails& details);
  /// In the order they were added.
  [[nodiscard]] Result<std::vector<Trial>> trials(std::int64_t run) const;
  /// The same without what makes them heavy (configs, details, diagnostics), in about a third of
  /// the time.
  [[nodiscard]] Result<std::vector<TrialLine>> listTrials(std::int64_t run) const;

  // Samples: a round of a race or of a final is one commit. A trial has one sample for a stage,
  // round and position; a second one is an error, and then none of the call is stored.
  [[nodiscard]] Result<void> addSamples(std::span<const TrialSample> samples);
  /// Of all trials of a run, ordered by stage, round, position, trial.
  [[nodiscard]] Result<std::vector<TrialSample>> samples(std::int64_t run) const;

  /// What another process recorded, in one commit; the ids of the trials. A trial whose key the run
  /// has takes the outcome, message and details given; samples that are there stay.
  [[nodiscard]] Result<std::vector<std::int64_t>> merge(std::int64_t run,
                                                        std::span<const TrialRecord> records);
  /// The number of a node, for its samples; added where it is new.
  [[nodiscard]] Result<std::int64_t> addNode(const Node& node);
  [[nodiscard]] Result<std::map<std::int64_t, Node>> nodes() const;
  /// Another number once another process has committed. A look into shared memory, cheap enough for
  /// every second.
  [[nodiscard]] Result<std::int64_t> dataVersion() const;

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hone::store
