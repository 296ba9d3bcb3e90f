#include "base/clock.h"

#include <array>
#include <ctime>

namespace hone {
namespace {

std::int64_t readClock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::int64_t nowNs() { return readClock(CLOCK_MONOTONIC); }
std::int64_t ownCpuNs() { return readClock(CLOCK_PROCESS_CPUTIME_ID); }
std::int64_t threadCpuNs() { return readClock(CLOCK_THREAD_CPUTIME_ID); }
std::int64_t utcMs() { return readClock(CLOCK_REALTIME) / 1'000'000; }

std::string utcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace hone
