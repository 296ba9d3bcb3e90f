#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace hone {

/// Snapshot of the progress of long-running work.
struct ProgressState {
  std::string stage;
  std::int64_t done = 0;
  std::int64_t total = 0;  ///< 0 if unknown
  std::string best;        ///< best result so far, in a few words; empty if none
  std::string note;
  std::optional<std::int64_t> secondsLeft;  ///< of this stage

  bool operator==(const ProgressState&) const = default;
};

/// Formats a state as "race 3/20, 12 s left, best 6.92 ms (1.98x) · 4 left".
[[nodiscard]] std::string progressText(const ProgressState& state);

/// Receives progress updates in addition to the terminal.
class ProgressWatcher {
 public:
  virtual ~ProgressWatcher() = default;
  /// Called at every step, so it must usually return fast. `newStage` is true if the stage has just
  /// started.
  virtual void see(const ProgressState& state, bool newStage) = 0;
};

/// Amount of work in a stage.
struct StageSize {
  std::int64_t total = 0;  ///< steps; 0 if unknown
  std::int64_t done = 0;   ///< steps completed before the stage starts
  std::optional<std::chrono::milliseconds> atMost = std::nullopt;  ///< remaining time budget
};

/// Prints a progress line: stage, steps done, time left, best result so far, and a note. Redraws it
/// in place on a terminal, prints an occasional plain line to a pipe, and nothing when quiet.
/// Always writes to stderr; stdout is for results.
class Progress {
 public:
  explicit Progress(bool quiet = false);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Reports every step from now on to `watcher`, even when quiet.
  void watch(std::unique_ptr<ProgressWatcher> watcher);
  /// Starts a stage of `total` steps and ends the previous one.
  void stage(std::string_view name, std::int64_t total) { stage(name, StageSize{.total = total}); }
  void stage(std::string_view name, const StageSize& size);
  /// Completes `count` steps. An empty note keeps the previous one.
  void step(std::string_view note = {}, std::int64_t count = 1);
  /// Sets the best result, which is kept across stages; "" clears it.
  void best(std::string_view what) { best_ = what; }
  /// Prints a permanent line above the progress line, unless quiet.
  void say(std::string_view line);
  /// Clears the progress line.
  void finish();

  /// Shows on the newest Progress of this process that work is blocked from outside, for example
  /// "waiting for another hone (pid 4711) to finish measuring". Printed at most every five seconds
  /// to a pipe.
  static void waiting(std::string_view what);
  /// Ends the wait after `ns` nanoseconds, which are excluded from the estimate of the time left.
  static void waited(std::int64_t ns);
  /// Redraws the newest Progress of this process with the current Activity and its duration, if
  /// the line has not changed for a while. Loops that wait for a child call it about once per
  /// second, so the line never stands still.
  static void tick();

 private:
  [[nodiscard]] ProgressState state(std::int64_t atNs) const;
  [[nodiscard]] std::string note(std::int64_t atNs) const;
  [[nodiscard]] std::optional<std::int64_t> secondsLeft(std::int64_t atNs) const;
  void show(bool newStage);
  void draw(const ProgressState& state, std::int64_t atNs);

  Progress* older_;  ///< previous newest Progress
  pid_t owner_;      ///< forked children must not draw
  std::int64_t lastWaitNs_ = 0;
  bool quiet_;
  bool terminal_;
  bool bold_;
  bool drawn_ = false;
  std::string name_;
  std::string best_;
  std::string note_;
  std::string blockedBy_;  ///< reason of a wait from outside
  StageSize size_;
  std::int64_t done_ = 0;
  std::int64_t startNs_ = 0;
  std::int64_t lastDrawNs_ = 0;
  std::unique_ptr<ProgressWatcher> watcher_;
};

/// Names what the newest Progress of this process waits for, for example "compiling 17
/// candidates", until it is destroyed. An inner activity hides the outer one.
class Activity {
 public:
  /// `startNs` is on the clock of nowNs().
  explicit Activity(std::string what, std::int64_t startNs = nowNs());
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;
  ~Activity();

 private:
  friend class Progress;

  std::string what_;
  std::int64_t startNs_;
  Activity* outer_;
};

}  // namespace hone
