#include "base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/text/text.h"

namespace hone {
namespace {

constexpr std::int64_t kTerminalPeriodNs = 100'000'000;
constexpr std::int64_t kPipePeriodNs = 5 * kSecondNs;
/// Redraw periods of a line whose stage makes no step.
constexpr std::int64_t kTerminalTickNs = kSecondNs;
constexpr std::int64_t kPipeTickNs = 15 * kSecondNs;

std::size_t terminalWidth() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return 80;
}

/// Returns the most recently created live Progress.
Progress*& newestProgress() {
  static Progress* newest = nullptr;
  return newest;
}

/// Returns the innermost live Activity.
Activity*& currentActivity() {
  static Activity* current = nullptr;
  return current;
}

bool isSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// Returns true if stderr is a terminal that can redraw lines. TERM=dumb is treated as a pipe.
bool isTerminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
}

std::string timeText(std::int64_t seconds) {
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 3600;
  if (seconds >= kHour) {
    return fmt::format("{} h {} min", seconds / kHour, seconds % kHour / kMinute);
  }
  return seconds >= kMinute ? fmt::format("{} min {} s", seconds / kMinute, seconds % kMinute)
                            : fmt::format("{} s", seconds);
}

}  // namespace

std::string progressText(const ProgressState& state) {
  std::string text = state.stage;
  if (state.total > 0) {
    text += fmt::format(" {}/{}", state.done, state.total);
  } else if (state.done > 0) {
    text += fmt::format(", {} done", state.done);
  }
  if (state.secondsLeft) {
    text += fmt::format(", {} left", timeText(*state.secondsLeft));
  }
  if (!state.best.empty()) {
    text += fmt::format(", best {}", state.best);
  }
  return state.note.empty() ? text
         : text.empty()     ? state.note
                            : fmt::format("{} · {}", text, state.note);
}

Progress::Progress(bool quiet)
    : older_(std::exchange(newestProgress(), this)),
      owner_(::getpid()),
      quiet_(quiet),
      terminal_(isTerminal()),
      bold_(terminal_ && !isSet("NO_COLOR")) {}

Progress::~Progress() {
  finish();
  if (newestProgress() == this) {
    newestProgress() = older_;
  }
}

void Progress::waiting(std::string_view what) {
  if (newestProgress() == nullptr) {
    return;
  }
  Progress& line = *newestProgress();
  line.blockedBy_ = what;
  const std::int64_t now = nowNs();
  if (line.watcher_ != nullptr) {
    line.watcher_->see(line.state(now), false);
  }
  const bool due = line.lastWaitNs_ == 0 || now - line.lastWaitNs_ >= kPipePeriodNs;
  if (!line.quiet_ && (line.terminal_ || due)) {
    line.lastWaitNs_ = now;
    line.draw(line.state(now), now);
  }
}

void Progress::waited(std::int64_t ns) {
  if (Progress* line = newestProgress()) {
    line->blockedBy_.clear();
    line->startNs_ += ns;
  }
}

void Progress::tick() {
  Progress* line = newestProgress();
  const std::int64_t now = nowNs();
  if (line == nullptr || line->owner_ != ::getpid() || line->note(now).empty()) {
    return;
  }
  if (line->watcher_ != nullptr && !line->name_.empty()) {
    line->watcher_->see(line->state(now), false);
  }
  if (line->lastDrawNs_ == 0) {
    line->lastDrawNs_ = now;
  }
  const std::int64_t period = line->terminal_ ? kTerminalTickNs : kPipeTickNs;
  if (!line->quiet_ && now - line->lastDrawNs_ >= period) {
    line->draw(line->state(now), now);
  }
}

Activity::Activity(std::string what, std::int64_t startNs)
    : what_(std::move(what)), startNs_(startNs), outer_(std::exchange(currentActivity(), this)) {}

Activity::~Activity() { currentActivity() = outer_; }

void Progress::watch(std::unique_ptr<ProgressWatcher> watcher) {
  watcher_ = std::move(watcher);
  if (!name_.empty()) {
    watcher_->see(state(nowNs()), true);
  }
}

void Progress::stage(std::string_view name, const StageSize& size) {
  finish();
  name_ = name;
  note_.clear();
  size_ = size;
  done_ = size.done;
  startNs_ = nowNs();
  lastDrawNs_ = 0;
  show(true);
}

void Progress::step(std::string_view note, std::int64_t count) {
  done_ += count;
  if (!note.empty()) {
    note_ = note;
  }
  show(false);
}

void Progress::say(std::string_view line) {
  if (quiet_) {
    return;
  }
  fmt::print(stderr, "{}{}\n", terminal_ && drawn_ ? "\r\x1b[K" : "", printable(line));
  drawn_ = false;
}

void Progress::finish() {
  if (drawn_ && terminal_) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }
  drawn_ = false;
}

ProgressState Progress::state(std::int64_t atNs) const {
  return {.stage = name_,
          .done = done_,
          .total = size_.total > 0 ? std::max(size_.total, done_) : 0,  // rounds may be added
          .best = best_,
          .note = note(atNs),
          .secondsLeft = secondsLeft(atNs)};
}

std::string Progress::note(std::int64_t atNs) const {
  if (!blockedBy_.empty()) {
    return blockedBy_;
  }
  const Activity* activity = currentActivity();
  const std::int64_t seconds = activity == nullptr ? 0 : (atNs - activity->startNs_) / kSecondNs;
  return seconds == 0 ? note_ : fmt::format("{} ({})", activity->what_, timeText(seconds));
}

std::optional<std::int64_t> Progress::secondsLeft(std::int64_t atNs) const {
  constexpr double kNsPerSecond = 1e9;
  const double elapsed = static_cast<double>(atNs - startNs_) / kNsPerSecond;
  std::optional<double> left;
  // Uses double: hours of nanoseconds times many steps overflow 64 bits.
  if (done_ > size_.done && done_ < size_.total) {
    left = elapsed * static_cast<double>(size_.total - done_) /
           static_cast<double>(done_ - size_.done);
  }
  if (size_.atMost) {
    const double allowed =
        std::max(std::chrono::duration<double>(*size_.atMost).count() - elapsed, 0.0);
    left = left ? std::min(*left, allowed) : allowed;
  }
  return left ? std::optional(std::max<std::int64_t>(std::llround(std::ceil(*left)), 1))
              : std::nullopt;
}

void Progress::show(bool newStage) {
  const std::int64_t now = nowNs();
  const std::int64_t period = terminal_ ? kTerminalPeriodNs : kPipePeriodNs;
  if (watcher_ != nullptr) {
    watcher_->see(state(now), newStage);
  }
  if (lastDrawNs_ == 0 && !(newStage && terminal_)) {
    lastDrawNs_ = now;
    return;
  }
  if (!quiet_ && (newStage || now - lastDrawNs_ >= period)) {
    draw(state(now), now);
  }
}

void Progress::draw(const ProgressState& state, std::int64_t atNs) {
  lastDrawNs_ = atNs;
  const std::string text = progressText(state);
  if (!terminal_) {
    fmt::print(stderr, "{}\n", text);
    return;
  }
  const std::string line = shortened(text, terminalWidth() - 1);
  const std::size_t head = bold_ ? std::min(state.stage.size(), line.size()) : 0;
  fmt::print(stderr, "\r\x1b[K{}{}{}{}", head > 0 ? "\x1b[1m" : "", line.substr(0, head),
             head > 0 ? "\x1b[0m" : "", line.substr(head));
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace hone
