#include "engine/machine_lock.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "base/clock.h"
#include "base/progress.h"
#include "base/text/text.h"

namespace hone::engine {
namespace {

std::atomic<std::int64_t>& totalWaitNs() {
  static std::atomic<std::int64_t> ns = 0;
  return ns;
}

bool& parentHoldsLock() {
  static bool held = false;
  return held;
}

/// Returns the lock file. Ignores TMPDIR, since all runs of this user must share the file. Nodes of
/// a cluster have separate files, since one machine may act as several nodes.
std::filesystem::path lockFile() {
  const char* node = std::getenv("SLURMD_NODENAME");
  return node == nullptr ? fmt::format("/tmp/hone-{}.lane", ::getuid())
                         : fmt::format("/tmp/hone-{}-{}.lane", ::getuid(), node);
}

/// Returns another process that holds a lock on the file, or nullopt if /proc/locks lists none.
std::optional<pid_t> findLockHolder(const std::filesystem::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) {
    return std::nullopt;
  }
  const std::string inode =
      fmt::format("{:02x}:{:02x}:{}", major(status.st_dev), minor(status.st_dev), status.st_ino);
  // Line format: "7: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF"; waiters have "->" after "7:".
  const auto locks = readFile("/proc/locks");
  for (const std::string& line : splitAt(locks.value_or(""), '\n')) {
    const auto at = line.find(inode);
    if (at == std::string::npos || line.contains("->")) {
      continue;
    }
    const std::string_view before = trim(std::string_view(line).substr(0, at));
    const auto pid = parseInt(before.substr(before.rfind(' ') + 1));
    if (pid && *pid > 0 && *pid != ::getpid()) {
      return static_cast<pid_t>(*pid);
    }
  }
  return std::nullopt;
}

std::string waitingText(FileLock::Share share) {
  const auto holder = findLockHolder(lockFile());
  return fmt::format("waiting for another hone{} to finish {}",
                     holder ? fmt::format(" (pid {})", *holder) : "",
                     share == FileLock::Share::shared ? "measuring" : "its work");
}

}  // namespace

std::int64_t MachineLock::waitedNs() { return totalWaitNs(); }

void MachineLock::inherit() { parentHoldsLock() = true; }

Result<MachineLock> MachineLock::acquire(FileLock::Share share) {
  if (parentHoldsLock()) {
    return MachineLock(std::nullopt);
  }
  std::int64_t startNs = 0;
  auto lock = FileLock::waitFor(lockFile(), share, [&] {
    startNs = nowNs();
    Progress::waiting(waitingText(share));
  });
  if (startNs > 0) {
    const std::int64_t ns = nowNs() - startNs;
    totalWaitNs() += ns;
    Progress::waited(ns);
  }
  return MachineLock(HONE_TRY(std::move(lock)));
}

Result<MachineLock> MachineLock::forCompiling() { return acquire(FileLock::Share::shared); }

Result<MachineLock> MachineLock::forMeasuring() { return acquire(FileLock::Share::exclusive); }

}  // namespace hone::engine
