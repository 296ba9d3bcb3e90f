#include "kernel/worker/sandbox/defences.h"

#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/process/file_rules.h"
#include "kernel/worker/sandbox/sandbox.h"

namespace hone::kernel {

std::vector<std::string> missingDefences() {
  constexpr int kNoLandlock = 1;
  constexpr int kNoFilter = 2;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto rules = FileRules::create({.readable = {"/"}, .writable = {}});
    const bool limited = rules && rules->enforce();
    const bool filtered = canFilterCalls() && enterSandbox();
    ::_exit((limited ? 0 : kNoLandlock) | (filtered ? 0 : kNoFilter));
  }
  int status = -1;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const int bits = child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : kNoLandlock | kNoFilter;
  std::vector<std::string> missing;
  if ((bits & kNoLandlock) != 0) {
    missing.emplace_back("landlock");
  }
  if ((bits & kNoFilter) != 0) {
    missing.emplace_back("seccomp");
  }
  return missing;
}

std::string formatWarning(const std::vector<std::string>& missing) {
  return missing.empty()
             ? ""
             : fmt::format("this system lacks {}: run only kernels that you trust with your files",
                           fmt::join(missing, " and "));
}

}  // namespace hone::kernel
