#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "cluster/spool/queued_unit.h"
#include "cluster/spool/spool.h"

namespace hone::cluster {

/// The units of a head: those without an answer, in the order of the requests, and the answers that
/// were not taken yet. Requeues units of lost workers. A unit that killed three workers, or at
/// which six machines failed, is answered with an error.
class UnitQueue {
 public:
  enum class State : std::uint8_t {
    compiling,  ///< waits for another unit that compiles for it
    waiting,    ///< waits to be queued
    queued,
    claimed,
  };

  /// The files of the units, as listed at one time.
  struct Places {
    std::map<std::string, State> states;
    std::vector<Claim> claims;
  };

  /// `spool` must outlive the queue. With `compilesFirst`, other units compile the code that the
  /// units measure.
  UnitQueue(Spool& spool, bool compilesFirst) : spool_(spool), compilesFirst_(compilesFirst) {}

  /// Takes over the units that an earlier head has queued: they are not queued again.
  void inherit();
  /// Adds a unit. Does nothing if it is already queued or answered.
  void enqueue(QueuedUnit unit);
  /// Writes waiting units until `window` units are queued.
  [[nodiscard]] Result<void> fill(std::size_t window);

  /// Stores an answer that a worker wrote.
  void accept(Answer answer);
  [[nodiscard]] bool isAnswered(const std::string& key) const { return answers_.contains(key); }
  /// Returns and removes the answer, which must have arrived.
  [[nodiscard]] Answer take(const std::string& key);

  /// Lists the files of the units. Withdraws those that were requeued after they were answered.
  [[nodiscard]] Places listPlaces();
  /// Updates the states. Requeues units whose file has been missing for longer than `lostNs`.
  void applyPlaces(const Places& places, std::int64_t lostNs);
  /// Extends every deadline by a time in which the head itself was blocked.
  void extendDeadlines(std::int64_t now, std::int64_t gapNs);

  /// Records the node of a worker that died, so that others try the unit first.
  void noteFailedNode(const WorkerDeath& death);
  /// Requeues the unit after the death of its worker, or gives it up.
  void handleDeath(const std::string& key, const std::string& worker, const std::string& why);
  /// Counts a death against the unit. After too many, answers it with an error and returns true.
  bool countDeath(const std::string& key, const std::string& worker, const std::string& why);
  /// Requeues the unit after a failure of the worker's machine. After six failures, answers it with
  /// an error.
  void handleMachineFailure(const WorkerDeath& death);
  /// Releases the claims of a lost worker and requeues the units. If `countsDeath`, the units may
  /// have killed it.
  void releaseWorker(const std::string& worker, bool countsDeath, const std::string& why);

  /// Returns the number of units without an answer.
  [[nodiscard]] std::size_t size() const { return units_.size(); }
  [[nodiscard]] std::size_t count(State state) const;
  /// Returns the number of units that only compile.
  [[nodiscard]] std::size_t countCompiles() const;
  /// Returns the number of units that were added.
  [[nodiscard]] std::int64_t added() const { return added_; }
  /// Returns the number of times that a unit was requeued.
  [[nodiscard]] std::int64_t requeued() const { return requeued_; }

 private:
  /// A unit without an answer.
  struct Pending {
    QueuedUnit unit;
    State state = State::waiting;
    std::int64_t missingNs = 0;  ///< since when its file is missing; 0: it is there
  };

  void setWaiting(const std::string& key);
  /// Queues the unit, unless an earlier head did.
  void startUnit(const std::string& key);
  /// Removes the answered unit, and starts the unit that waited for it to compile.
  void finishUnit(Answer answer);
  /// Answers the unit with an error; it is not retried.
  void giveUp(const QueuedUnit& unit, const std::string& worker, const std::string& why);

  Spool& spool_;
  bool compilesFirst_;
  std::map<std::string, Pending> units_;
  std::deque<std::string> waiting_;
  std::map<std::string, Answer> answers_;  ///< not taken yet
  std::set<std::string> inherited_;        ///< queued by an earlier head and still in the spool
  std::int64_t added_ = 0;
  std::int64_t requeued_ = 0;
};

}  // namespace hone::cluster
