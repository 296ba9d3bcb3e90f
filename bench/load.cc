#include "load.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/clock.h"
#include "base/process/subprocess.h"
#include "base/random.h"

namespace hone::bench {
namespace {

constexpr double kMaxBurstNs = 2e9;
constexpr double kMaxPauseNs = 5e8;

[[noreturn]] void keepBusy(std::uint64_t seed) {
  Random random(seed);
  while (true) {
    const auto burstNs = static_cast<std::int64_t>(random.uniform() * kMaxBurstNs);
    for (const std::int64_t end = nowNs() + burstNs; nowNs() < end;) {
    }
    std::this_thread::sleep_for(
        std::chrono::nanoseconds(static_cast<std::int64_t>(random.uniform() * kMaxPauseNs)));
  }
}

}  // namespace

Load::Load(std::size_t children) {
  const pid_t self = ::getpid();
  for (std::size_t i = 0; i < children; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      confineChild(self, {});
      keepBusy(i + 1);
    }
    if (child > 0) {
      children_.push_back(child);
    }
  }
}

Load::~Load() {
  for (const pid_t child : children_) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
}

}  // namespace hone::bench
