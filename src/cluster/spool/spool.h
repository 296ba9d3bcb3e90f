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

namespace hone::cluster {

/// A unit that a worker has taken: the file moved into `claimed/`, which only one can do.
struct Claim {
  std::string name;  ///< of the file, without the worker
  std::string worker;
  [[nodiscard]] std::string key() const;
};

/// Why a worker went that found itself on a node of another kind than those that measure.
inline constexpr const char* kOtherKind = "of another kind than the nodes that measure";

/// A worker died over a unit, or could not work at all.
struct Death {
  std::string key;
  std::string worker;
  std::string why;
  std::string node;
  bool ofMachine = false;  ///< the machine failed: the unit is not to blame
};

/// Somebody's sign of life: it goes on as long as the count changes. Clocks of other machines are
/// never compared with one's own.
struct Beat {
  std::int64_t count = 0;
  bool finished = false;  ///< of the head: workers may go
};

/// The folder on the shared file system through which a head and its workers speak: small files,
/// each written beside and renamed, with its hash in it.
///   setup.json            what workers must know before they begin
///   queue/                units to be done; measure-… or compile-…
///   claimed/…@worker      those that a worker has
///   died/…@worker         those over which it died
///   failed/               how often units failed, and where, for the next head to know
///   answers/, done/       what came of them; done: the head has seen it
///   workers/, head.beat   signs of life
///   kind.json             what the nodes that measure are
///   logs/                 what the jobs print; <array>.compile: these jobs only compile
class Spool {
 public:
  /// Makes the folders that are missing; what an earlier head left is kept.
  [[nodiscard]] static Result<Spool> create(const std::filesystem::path& folder,
                                            const nlohmann::json& setup);
  /// One that a head made: a user error where there is none.
  [[nodiscard]] static Result<Spool> open(const std::filesystem::path& folder);
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const nlohmann::json& setup() const { return setup_; }

  // The head's side.
  [[nodiscard]] Result<void> put(const QueuedUnit& unit);
  /// Takes units back that nobody has claimed yet.
  void withdraw(const std::string& key);
  [[nodiscard]] std::vector<std::string> queuedKeys() const;
  [[nodiscard]] std::vector<Claim> claims() const;
  /// Forgets that a worker has it: the head gives it to another.
  void release(const Claim& claim) const;
  /// What was reported since the last call.
  [[nodiscard]] std::vector<Death> takeDeaths();
  /// The answers that came since the last call; they stay, as done. The first answer to a unit
  /// counts: a second one is removed.
  [[nodiscard]] std::vector<Answer> takeAnswers();
  /// An answer of the head's own.
  [[nodiscard]] Result<void> keepDone(const Answer& answer);
  [[nodiscard]] std::optional<Answer> doneAnswer(const std::string& key) const;
  /// How often the unit failed and where, for the next head; and into the same unit there.
  [[nodiscard]] Result<void> keepFailures(const QueuedUnit& unit);
  void recallFailures(QueuedUnit& unit) const;
  [[nodiscard]] std::vector<std::string> workers() const;
  [[nodiscard]] Beat beatOf(const std::string& worker) const;
  [[nodiscard]] Result<void> beatHead(std::int64_t count, bool finished);
  /// Of jobs, by number: those whose workers only compile, for the next head to know.
  [[nodiscard]] Result<void> markCompileArray(const std::string& array);
  [[nodiscard]] std::vector<std::string> compileArrays() const;
  /// With all that is in it; for a run that is at its end.
  void remove();

  // A worker's side.
  /// The next unit that may be done here, if there is any and nobody was quicker; none that failed
  /// on the node `notFailedOn`.
  [[nodiscard]] std::optional<std::pair<Claim, QueuedUnit>> claim(
      const std::string& worker, bool mayMeasure, const std::string& notFailedOn = "");
  [[nodiscard]] Result<void> answer(const Claim& claim, const Answer& answer);
  /// What this worker has goes back into the queue, by no fault of the unit; what it has answered
  /// does not.
  void giveBack(const std::string& worker);
  /// The worker died over what it has, or its machine failed; with nothing in hand, it could not
  /// begin.
  [[nodiscard]] Result<void> reportDeath(const std::string& worker, const std::string& why,
                                         const std::string& node = "", bool ofMachine = false);
  [[nodiscard]] Result<void> beat(const std::string& worker, const Beat& beat);
  /// No signs of life any more: the head need not wait for them.
  void leave(const std::string& worker) const;
  [[nodiscard]] Beat headBeat() const;
  /// Nodes like this one are to measure; the first that says so decides.
  [[nodiscard]] Result<void> proposeKind(const store::Node& node);
  /// Whether nodes like this one measure; nothing before that is decided.
  [[nodiscard]] std::optional<bool> isMeasuredKind(const store::Node& node) const;

  /// Files that were written by this process, for those who count.
  [[nodiscard]] std::int64_t filesWritten() const { return filesWritten_; }

 private:
  Spool(std::filesystem::path folder, nlohmann::json setup)
      : folder_(std::move(folder)), setup_(std::move(setup)) {}
  [[nodiscard]] bool failedOn(const std::string& name, const std::string& node) const;
  /// Whether a worker has answered it, also when the head has not seen that yet.
  [[nodiscard]] bool answered(const std::string& key) const;
  [[nodiscard]] Result<void> write(const std::filesystem::path& file, const nlohmann::json& json);

  std::filesystem::path folder_;
  nlohmann::json setup_;
  std::int64_t sequence_ = 0;
  std::int64_t filesWritten_ = 0;
};

}  // namespace hone::cluster
