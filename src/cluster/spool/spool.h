#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cluster/spool/queued_unit.h"
#include "cluster/spool/worker_setup.h"

namespace hone::cluster {

/// A unit taken by a worker: its file was moved to `claimed/`, which only one worker can do.
struct Claim {
  std::string name;  ///< file name without the worker
  std::string worker;
  [[nodiscard]] std::string key() const;
};

/// Reason of a worker that ended because its node differs from the measuring nodes.
inline constexpr const char* kOtherNodeKind = "of another kind than the nodes that measure";

/// Report of a worker that died executing a unit, or could not start.
struct WorkerDeath {
  std::string key;
  std::string worker;
  std::string why;
  std::string node;
  bool machineFailed = false;  ///< the machine failed, not the unit
};

/// A heartbeat. Its sender is alive as long as the count changes; clocks of different machines are
/// never compared.
struct Heartbeat {
  std::int64_t count = 0;
  bool finished = false;  ///< of the head: workers may exit
};

/// Folder on the shared file system for communication between a head and its workers. All files
/// except logs contain their hash and are written atomically (temporary file, then rename).
///   setup.json            configuration of the workers
///   queue/                waiting units; measure-… or compile-…
///   claimed/…@worker      units claimed by a worker
///   died/…@worker         units whose worker died
///   failed/               failure counts and nodes of units, for the next head
///   answers/, done/       results; done: seen by the head
///   workers/, head.beat   heartbeats
///   kind.json             properties of the measuring nodes
///   logs/                 output of the jobs; <array>.compile: these jobs only compile
class Spool {
 public:
  /// Creates the missing folders; keeps the files of an earlier head.
  [[nodiscard]] static Result<Spool> create(const std::filesystem::path& folder,
                                            const WorkerSetup& setup);
  /// Opens a folder created by a head; fails with a user error if there is none.
  [[nodiscard]] static Result<Spool> open(const std::filesystem::path& folder);
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const WorkerSetup& setup() const { return setup_; }

  // Used by the head.
  [[nodiscard]] Result<void> put(const QueuedUnit& unit);
  /// Removes the unit from the queue, unless a worker has claimed it.
  void withdraw(const std::string& key);
  [[nodiscard]] std::vector<std::string> queuedKeys() const;
  [[nodiscard]] std::vector<Claim> claims() const;
  /// Removes a claim, so that the unit can be given to another worker.
  void release(const Claim& claim) const;
  /// Returns the reports since the last call.
  [[nodiscard]] std::vector<WorkerDeath> takeDeaths();
  /// Returns the answers since the last call and moves them to `done`. Only the first answer to a
  /// unit counts; others are removed.
  [[nodiscard]] std::vector<Answer> takeAnswers();
  /// Stores an answer made by the head itself.
  [[nodiscard]] Result<void> storeAnswer(const Answer& answer);
  [[nodiscard]] std::optional<Answer> doneAnswer(const std::string& key) const;
  /// Stores the unit's failures for the next head; restoreFailures() reads them.
  [[nodiscard]] Result<void> storeFailures(const QueuedUnit& unit);
  void restoreFailures(QueuedUnit& unit) const;
  [[nodiscard]] std::vector<std::string> workers() const;
  [[nodiscard]] Heartbeat readHeartbeat(const std::string& worker) const;
  [[nodiscard]] Result<void> writeHeadHeartbeat(std::int64_t count, bool finished);
  /// Marks a job array whose workers only compile, for the next head.
  [[nodiscard]] Result<void> markCompileArray(const std::string& array);
  [[nodiscard]] std::vector<std::string> compileArrays() const;
  /// Removes the folder and its contents, at the end of a run.
  void remove();

  // Used by workers.
  /// Claims the next suitable unit; nothing if there is none or other workers were faster. Skips
  /// units that failed on the node `notFailedOn`.
  [[nodiscard]] std::optional<std::pair<Claim, QueuedUnit>> claim(
      const std::string& worker, bool mayMeasure, const std::string& notFailedOn = "");
  [[nodiscard]] Result<void> answer(const Claim& claim, const Answer& answer);
  /// Requeues the worker's claimed units without counting a failure; answered units are not
  /// requeued.
  void requeue(const std::string& worker);
  /// Reports that the worker died executing its unit, or that its machine failed. Without a claimed
  /// unit, reports that it could not start.
  [[nodiscard]] Result<void> reportDeath(const std::string& worker, const std::string& why,
                                         const std::string& node = "", bool machineFailed = false);
  [[nodiscard]] Result<void> writeHeartbeat(const std::string& worker, const Heartbeat& heartbeat);
  /// Removes the worker's heartbeat, so that the head does not wait for it.
  void leave(const std::string& worker) const;
  [[nodiscard]] Heartbeat headHeartbeat() const;
  /// Proposes this node's kind as the one to measure on; the first proposal wins.
  [[nodiscard]] Result<void> proposeKind(const store::Node& node);
  /// Returns true if nodes of this kind measure; nothing while undecided.
  [[nodiscard]] std::optional<bool> isMeasuredKind(const store::Node& node) const;

  /// Returns the number of files written by this process, for benchmarks.
  [[nodiscard]] std::int64_t filesWritten() const { return filesWritten_; }

 private:
  Spool(std::filesystem::path folder, WorkerSetup setup)
      : folder_(std::move(folder)), setup_(std::move(setup)) {}
  [[nodiscard]] bool failedOn(const std::string& name, const std::string& node) const;
  /// Returns true if a worker has answered it, even if the head has not seen the answer.
  [[nodiscard]] bool answered(const std::string& key) const;
  [[nodiscard]] Result<void> write(const std::filesystem::path& file, const nlohmann::json& json);

  std::filesystem::path folder_;
  WorkerSetup setup_;
  std::int64_t sequence_ = 0;
  std::int64_t filesWritten_ = 0;
};

}  // namespace hone::cluster
