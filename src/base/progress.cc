#include "base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "base/clock.h"
#include "base/text.h"

namespace hone {
namespace {

constexpr std::int64_t kTerminalPeriodNs = 100'000'000;
constexpr std::int64_t kPipePeriodNs = 5'000'000'000;

std::size_t terminalWidth() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return 80;
}

std::string timeLeft(std::int64_t elapsedNs, std::int64_t done, std::int64_t total) {
  if (done <= 0 || done >= total) {
    return "";
  }
  // Through double: hours of nanoseconds times many steps do not fit 64 bits.
  const auto seconds =
      static_cast<std::int64_t>(1e-9 * static_cast<double>(elapsedNs) *
                                static_cast<double>(total - done) / static_cast<double>(done));
  return seconds >= 60 ? fmt::format(", {} min {} s left", seconds / 60, seconds % 60)
                       : fmt::format(", {} s left", seconds + 1);
}

}  // namespace

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0) {}

void Progress::stage(std::string_view name, std::int64_t total) {
  finish();
  name_ = name;
  note_.clear();
  done_ = 0;
  total_ = total;
  startNs_ = nowNs();
  lastDrawNs_ = 0;
  draw(terminal_);
}

void Progress::step(std::string_view note, std::int64_t count) {
  done_ += count;
  if (!note.empty()) {
    note_ = note;
  }
  draw(false);
}

void Progress::say(std::string_view line) {
  if (quiet_) {
    return;
  }
  fmt::print(stderr, "{}{}\n", terminal_ && drawn_ ? "\r\x1b[K" : "", line);
  drawn_ = false;
}

void Progress::finish() {
  if (drawn_ && terminal_) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }
  drawn_ = false;
}

void Progress::draw(bool force) {
  const std::int64_t now = nowNs();
  const std::int64_t period = terminal_ ? kTerminalPeriodNs : kPipePeriodNs;
  if (lastDrawNs_ == 0 && !force) {
    lastDrawNs_ = now;
    return;
  }
  if (quiet_ || (!force && now - lastDrawNs_ < period)) {
    return;
  }
  lastDrawNs_ = now;
  const std::string line =
      fmt::format("{} {}/{}{}{}{}", name_, done_, total_, timeLeft(now - startNs_, done_, total_),
                  note_.empty() ? "" : " · ", note_);
  if (terminal_) {
    fmt::print(stderr, "\r\x1b[K{}", shortened(line, terminalWidth() - 1));
    std::fflush(stderr);
    drawn_ = true;
  } else {
    fmt::print(stderr, "{}\n", line);
  }
}

}  // namespace hone
