#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

/// How far long work is.
struct ProgressState {
  std::string stage;
  std::int64_t done = 0;
  std::int64_t total = 0;  ///< 0: nobody knows
  std::string best;        ///< the best so far, in a few words; "": none yet
  std::string note;
  std::optional<std::int64_t> secondsLeft;  ///< of this stage

  bool operator==(const ProgressState&) const = default;
};

/// "race 3/20, 12 s left, best 6.92 ms (1.98x) · 4 left".
[[nodiscard]] std::string progressText(const ProgressState& state);

/// Somebody besides the terminal who wants to know.
class ProgressWatcher {
 public:
  virtual ~ProgressWatcher() = default;
  /// At every step, so it must be quick most of the time. `newStage`: it has just begun.
  virtual void see(const ProgressState& state, bool newStage) = 0;
};

/// How much there is to do in a stage.
struct StageSize {
  std::int64_t total = 0;                                          ///< steps; 0: nobody knows
  std::int64_t done = 0;                                           ///< of them before it begins
  std::optional<std::chrono::milliseconds> atMost = std::nullopt;  ///< that its budget leaves it
};

/// One line for long work: stage, done of all, time left, the best so far, a note. Rewritten in
/// place on a terminal; a plain line now and then in a pipe; nothing when quiet. Always on stderr:
/// stdout is for results.
class Progress {
 public:
  explicit Progress(bool quiet = false);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Told of every step from now on, also when quiet; destroyed with this.
  void watch(std::unique_ptr<ProgressWatcher> watcher);
  /// A new stage of `total` steps; the stage before is closed.
  void stage(std::string_view name, std::int64_t total) { stage(name, StageSize{.total = total}); }
  void stage(std::string_view name, const StageSize& size);
  void step(std::string_view note = {}, std::int64_t count = 1);
  /// Stays, over stages, until there is a better one; "" forgets it.
  void best(std::string_view what) { best_ = what; }
  /// A line that stays, above the moving one.
  void say(std::string_view line);
  /// Takes the moving line away.
  void finish();

  /// Shows, on the newest Progress of this process, that work has stopped for a reason from
  /// outside: "waiting for another hone (pid 4711) to finish measuring". Shown at most every five
  /// seconds.
  static void waiting(std::string_view what);
  /// Ends that after `ns` nanoseconds; the time left does not count them.
  static void waited(std::int64_t ns);

 private:
  [[nodiscard]] ProgressState state(std::int64_t atNs) const;
  [[nodiscard]] std::optional<std::int64_t> secondsLeft(std::int64_t atNs) const;
  void show(bool newStage);
  void draw(const ProgressState& state, std::int64_t atNs);

  Progress* older_;  ///< the newest one before this
  std::int64_t lastWaitNs_ = 0;
  bool quiet_;
  bool terminal_;
  bool bold_;
  bool drawn_ = false;
  std::string name_;
  std::string best_;
  std::string note_;
  StageSize size_;
  std::int64_t done_ = 0;
  std::int64_t startNs_ = 0;
  std::int64_t lastDrawNs_ = 0;
  std::unique_ptr<ProgressWatcher> watcher_;
};

}  // namespace hone
